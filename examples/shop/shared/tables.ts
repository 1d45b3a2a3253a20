/** In place of your ORM's migrations. Postgres and MySQL take the same. */
export const TABLES: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS orders (
     id serial PRIMARY KEY,
     tenant varchar(64) NOT NULL,
     customer varchar(64) NOT NULL,
     product varchar(64) NOT NULL,
     state varchar(16) NOT NULL
   )`,
  'CREATE TABLE IF NOT EXISTS stock (product varchar(64) PRIMARY KEY, pieces integer NOT NULL)',
  "INSERT INTO stock SELECT 'oar', 100 WHERE NOT EXISTS (SELECT * FROM stock)",
];
