import type pg from 'pg';
import type { Item } from './item.js';
import type { Source } from './source.js';

/** All of a `pg` client that the source needs, and all that a handler's transaction has. */
export interface PostgresQueries {
  query<R extends pg.QueryResultRow>(statement: string, values?: unknown[]): Promise<pg.QueryResult<R>>;
}

export const postgresSource: Source<PostgresQueries> = {
  async read(id, tx) {
    const { rows } = await tx.query<Item & pg.QueryResultRow>(
      'SELECT id, name, price::text, note FROM item WHERE id = $1',
      [id],
    );
    return rows[0];
  },
};
