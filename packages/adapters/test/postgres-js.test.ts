import postgres from 'postgres';
import { fromPostgresJs } from '../src/postgres-js.js';
import { describeAdapter } from './describe-adapter.js';

describeAdapter('PostgresJs', 'postgres', (url) => {
  const sql = postgres(url, { max: 3 });
  return {
    async transaction(work) {
      await sql.begin((tx) =>
        work({ tx: fromPostgresJs(tx), insert: (id) => tx`INSERT INTO orders VALUES (${id})` }),
      );
    },
    mistakes: {
      // @ts-expect-error the sql of the pool has no savepoints
      sql: () => fromPostgresJs(sql),
      nothing: () => fromPostgresJs(Object(undefined)),
    },
    close: () => sql.end(),
  };
});
