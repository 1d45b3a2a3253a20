import type { ExecuteValues, FieldPacket, QueryResult, RowDataPacket } from 'mysql2/promise';
import type { Item } from './item.js';
import type { Source } from './source.js';

/** All of a `mysql2` connection that the source needs, and all that a handler's transaction has. */
export interface MysqlQueries {
  execute<R extends QueryResult>(statement: string, values?: ExecuteValues): Promise<[R, FieldPacket[]]>;
}

export const mysqlSource: Source<MysqlQueries> = {
  async read(id, tx) {
    const [rows] = await tx.execute<(RowDataPacket & Item)[]>(
      'SELECT id, name, CAST(price AS CHAR) AS price, note FROM item WHERE id = ?',
      [id],
    );
    return rows[0];
  },
};
