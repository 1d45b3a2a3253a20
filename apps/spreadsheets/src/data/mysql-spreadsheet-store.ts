import { away, isMysqlLost } from '@rowlock/app-shared';
import {
  type ConnectionOptions,
  createConnection,
  createPool,
  type ExecuteValues,
  type FieldPacket,
  type Pool,
  type QueryResult,
  type RowDataPacket,
} from 'mysql2/promise';
import { migrate } from './mysql-migrations.js';
import type { NewSpreadsheet, PlaceAtGoogle, Row, Spreadsheet } from './spreadsheet.js';
import type { Label, SpreadsheetStore } from './spreadsheet-store.js';

/** All of a `mysql2` connection that the store needs, and all that a handler's transaction has. */
export interface Queries {
  execute<R extends QueryResult>(statement: string, values?: ExecuteValues): Promise<[R, FieldPacket[]]>;
  query<R extends QueryResult>(statement: string, values?: unknown[]): Promise<[R, FieldPacket[]]>;
}

export interface MysqlStoreOptions {
  /** Names the database that the tables are in. */
  readonly uri: string;
  readonly maxConnections?: number;
}

/** The application's tables on MySQL. */
export class MysqlSpreadsheetStore implements SpreadsheetStore<Queries> {
  readonly #connection: ConnectionOptions;
  readonly #pool: Pool;

  constructor({ uri, maxConnections = 10 }: MysqlStoreOptions) {
    this.#connection = {
      uri,
      connectTimeout: 10_000,
      charset: 'utf8mb4',
      timezone: 'Z',
      // MariaDB knows no type of its own for JSON; as text it is the same everywhere.
      jsonStrings: true,
      // MySQL 8.0.23 to 8.0.25 offer attributes of statements, and fail on them in prepared statements.
      flags: ['-CLIENT_QUERY_ATTRIBUTES'],
    };
    this.#pool = createPool({ ...this.#connection, connectionLimit: maxConnections });
  }

  async transaction<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result> {
    return away(async () => {
      const client = await this.#pool.getConnection();
      try {
        // Concerns the next transaction only. REPEATABLE READ would lock the gaps into which others insert.
        await client.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
        await client.query('START TRANSACTION');
        const result = await work(client);
        await client.query('COMMIT');
        client.release();
        return result;
      } catch (error) {
        // A connection whose rollback fails is of no use to anybody.
        await client.query('ROLLBACK').then(
          () => client.release(),
          () => client.destroy(),
        );
        throw error;
      }
    }, isMysqlLost);
  }

  async insert({ id, owner, title, columns, createJob }: NewSpreadsheet, tx: Queries): Promise<void> {
    await tx.execute(
      'INSERT INTO spreadsheet (id, owner, title, columns, create_job) VALUES (?, ?, ?, ?, ?)',
      [id, owner, title, JSON.stringify(columns), createJob],
    );
  }

  async find(id: string): Promise<Spreadsheet | undefined> {
    const [row] = await this.#query<SpreadsheetRow>(`SELECT ${COLUMNS} FROM spreadsheet WHERE id = ?`, [id]);
    return row && spreadsheetOf(row);
  }

  // The index has the order. MySQL refuses to sort a row whose JSON is larger than its sort buffer, 256 KiB by default.
  async listOf(owner: string): Promise<readonly Spreadsheet[]> {
    const rows = await this.#query<SpreadsheetRow>(
      `SELECT ${COLUMNS} FROM spreadsheet FORCE INDEX (spreadsheet_of_owner) WHERE owner = ? ORDER BY created_at DESC, id LIMIT 200`,
      [owner],
    );
    return rows.map(spreadsheetOf);
  }

  async labels(ids: readonly string[]): Promise<ReadonlyMap<string, Label>> {
    if (ids.length === 0) return new Map();
    const places = ids.map(() => '?').join(', ');
    const rows = await this.#query<LabelRow>(
      `SELECT id, owner, title FROM spreadsheet WHERE id IN (${places})`,
      [...ids],
    );
    return new Map(rows.map(({ id, owner, title }) => [id, { owner, title }]));
  }

  async rowsOf(id: string): Promise<readonly Row[]> {
    const rows = await this.#query<CellsRow>(
      'SELECT cells FROM spreadsheet_row FORCE INDEX (PRIMARY) WHERE spreadsheet_id = ? ORDER BY position',
      [id],
    );
    return rows.map(({ cells }): Row => JSON.parse(cells));
  }

  async googleIdOf(id: string): Promise<string | undefined> {
    const rows = await this.#query<GoogleIdRow>('SELECT google_id FROM spreadsheet WHERE id = ?', [id]);
    return rows[0]?.google_id ?? undefined;
  }

  async markCreated(id: string, google: PlaceAtGoogle, tx: Queries): Promise<void> {
    await tx.execute('UPDATE spreadsheet SET google_id = ?, url = ?, not_shared = ? WHERE id = ?', [
      google.id,
      google.url,
      google.notShared,
      id,
    ]);
  }

  async replaceRows(
    id: string,
    { columns, rows }: { columns: readonly string[]; rows: readonly Row[] },
    tx: Queries,
  ): Promise<void> {
    await tx.execute(
      'UPDATE spreadsheet SET columns = ?, returns = returns + 1, returned_at = UTC_TIMESTAMP(6) WHERE id = ?',
      [JSON.stringify(columns), id],
    );
    await tx.execute('DELETE FROM spreadsheet_row WHERE spreadsheet_id = ?', [id]);
    await tx.execute(
      `INSERT INTO spreadsheet_row (spreadsheet_id, position, cells)
       SELECT ?, position, cells
       FROM JSON_TABLE(?, '$[*]' COLUMNS (position FOR ORDINALITY, cells JSON PATH '$')) AS sheet_row`,
      [id, JSON.stringify(rows)],
    );
  }

  migrate(): Promise<readonly string[]> {
    return away(async () => {
      const client = await createConnection({ ...this.#connection, multipleStatements: true });
      try {
        return await migrate(client);
      } finally {
        client.destroy();
      }
    }, isMysqlLost);
  }

  async verify(): Promise<void> {
    await this.#query('SELECT 1 FROM spreadsheet, spreadsheet_row LIMIT 0', []);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  #query<R extends RowDataPacket>(statement: string, values: string[]): Promise<R[]> {
    return away(async () => (await this.#pool.execute<R[]>(statement, values))[0], isMysqlLost);
  }
}

const COLUMNS =
  'id, owner, title, columns, create_job, created_at, google_id, url, not_shared, returns, returned_at';

interface SpreadsheetRow extends RowDataPacket {
  readonly id: string;
  readonly owner: string;
  readonly title: string;
  readonly columns: string;
  readonly create_job: string;
  readonly created_at: Date;
  readonly google_id: string | null;
  readonly url: string | null;
  readonly not_shared: string | null;
  readonly returns: number;
  readonly returned_at: Date | null;
}

interface LabelRow extends RowDataPacket, Label {
  readonly id: string;
}

interface CellsRow extends RowDataPacket {
  readonly cells: string;
}

interface GoogleIdRow extends RowDataPacket {
  readonly google_id: string | null;
}

function spreadsheetOf(row: SpreadsheetRow): Spreadsheet {
  const { id, owner, title, columns, google_id: googleId, url, not_shared: notShared, returns } = row;
  return {
    id,
    owner,
    title,
    columns: JSON.parse(columns),
    createJob: row.create_job,
    createdAt: row.created_at,
    google: googleId === null || url === null ? null : { id: googleId, url, notShared },
    returns,
    returnedAt: row.returned_at,
  };
}
