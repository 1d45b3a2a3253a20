const TABLE = 'CREATE TABLE IF NOT EXISTS effect (payload int)';

/** What a handler that writes leaves behind: a row in a table of the application's. */
export const EFFECT = {
  postgres: { table: TABLE, insert: 'INSERT INTO effect (payload) VALUES ($1)' },
  mysql: { table: TABLE, insert: 'INSERT INTO effect (payload) VALUES (?)' },
};
