import {
  createPool,
  type ExecuteValues,
  type Pool,
  type PoolConnection,
  type RowDataPacket,
} from 'mysql2/promise';
import { untilGivenUp } from './until-given-up.js';

/** Runs SELECTs that can be given up: the server ends them too, so that they do not go on for nobody. */
export class MysqlSelects {
  readonly #pool: Pool;
  /** Of its own, because all connections of the other pool may be in slow SELECTs. */
  readonly #stops: Pool;

  constructor(uri: string) {
    this.#pool = createPool({ uri, connectionLimit: 5, charset: 'utf8mb4', dateStrings: true });
    this.#stops = createPool({ uri, connectionLimit: 1 });
  }

  /** @throws the signal's reason when it is given up. */
  async rows<Row extends RowDataPacket>(
    select: string,
    values: ExecuteValues,
    signal?: AbortSignal,
  ): Promise<readonly Row[]> {
    if (signal === undefined) return (await this.#pool.execute<Row[]>(select, values))[0];
    const client = await this.#pool.getConnection();
    try {
      const run = () => client.execute<Row[]>(select, values);
      const [rows] = await untilGivenUp(signal, run, () =>
        this.#stops.query('KILL QUERY ?', [client.threadId]),
      );
      return rows;
    } finally {
      give(client, signal);
    }
  }

  async run(statement: string): Promise<void> {
    await this.#pool.query(statement);
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#stops.end()]);
  }
}

/** A KILL QUERY that comes between two statements ends the next one, so a connection that had one is not used again. */
function give(client: PoolConnection, { aborted }: AbortSignal): void {
  if (aborted) client.destroy();
  else client.release();
}
