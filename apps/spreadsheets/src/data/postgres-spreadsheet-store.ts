import { away, isPostgresLost } from '@rowlock/app-shared';
import pg from 'pg';
import { uuidOf } from '../uuid.js';
import { migrate } from './postgres-migrations.js';
import type { NewSpreadsheet, PlaceAtGoogle, Row, Spreadsheet } from './spreadsheet.js';
import type { Label, SpreadsheetStore } from './spreadsheet-store.js';

/** All of a `pg` client that the store needs, and all that a handler's transaction has. */
export interface Queries {
  query<R extends pg.QueryResultRow = pg.QueryResultRow>(
    statement: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<R>>;
}

export interface PostgresStoreOptions {
  readonly connectionString: string;
  readonly maxConnections?: number;
  /** Hears of idle connections that broke; the pool replaces them by itself. */
  readonly onConnectionLost: (error: Error) => void;
}

/** The application's tables on Postgres. */
export class PostgresSpreadsheetStore implements SpreadsheetStore<Queries> {
  readonly #pool: pg.Pool;

  constructor({ connectionString, maxConnections = 10, onConnectionLost }: PostgresStoreOptions) {
    this.#pool = new pg.Pool({
      connectionString,
      max: maxConnections,
      // The client counts the time in the pool's queue too.
      connectionTimeoutMillis: 10_000,
      statement_timeout: 15_000,
      application_name: 'spreadsheets',
    });
    this.#pool.on('error', onConnectionLost);
    // The pool hears of idle connections only. One in use that breaks fails its statement too; unheard it would end the process.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  async transaction<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result> {
    return away(async () => {
      const client = await this.#pool.connect();
      try {
        await client.query('BEGIN');
        const result = await work(client);
        await client.query('COMMIT');
        client.release();
        return result;
      } catch (error) {
        // A connection whose rollback fails is of no use to anybody.
        const broken = await client.query('ROLLBACK').then(
          () => false,
          () => true,
        );
        client.release(broken);
        throw error;
      }
    }, isPostgresLost);
  }

  async insert({ id, owner, title, columns, createJob }: NewSpreadsheet, tx: Queries): Promise<void> {
    await tx.query(
      `INSERT INTO spreadsheets.spreadsheet (id, owner, title, columns, create_job) VALUES ($1, $2, $3, $4, $5)`,
      [id, owner, title, JSON.stringify(columns), createJob],
    );
  }

  async find(id: string): Promise<Spreadsheet | undefined> {
    const [row] = await this.#query<SpreadsheetRow>(
      `SELECT ${COLUMNS} FROM spreadsheets.spreadsheet WHERE id = $1`,
      [id],
    );
    return row && spreadsheetOf(row);
  }

  async listOf(owner: string): Promise<readonly Spreadsheet[]> {
    const rows = await this.#query<SpreadsheetRow>(
      `SELECT ${COLUMNS} FROM spreadsheets.spreadsheet WHERE owner = $1 ORDER BY created_at DESC, id LIMIT 200`,
      [owner],
    );
    return rows.map(spreadsheetOf);
  }

  async labels(ids: readonly string[]): Promise<ReadonlyMap<string, Label>> {
    const rows = await this.#query<Label & { id: string }>(
      'SELECT id, owner, title FROM spreadsheets.spreadsheet WHERE id = ANY ($1::uuid[])',
      // A text that is no UUID is an error there, and a job's key may be any text.
      [ids.flatMap((id) => uuidOf(id) ?? [])],
    );
    return new Map(rows.map(({ id, owner, title }) => [id, { owner, title }]));
  }

  async rowsOf(id: string): Promise<readonly Row[]> {
    const rows = await this.#query<{ cells: Row }>(
      'SELECT cells FROM spreadsheets.spreadsheet_row WHERE spreadsheet_id = $1 ORDER BY position',
      [id],
    );
    return rows.map(({ cells }) => cells);
  }

  async googleIdOf(id: string): Promise<string | undefined> {
    const rows = await this.#query<{ google_id: string | null }>(
      'SELECT google_id FROM spreadsheets.spreadsheet WHERE id = $1',
      [idOf(id)],
    );
    return rows[0]?.google_id ?? undefined;
  }

  async markCreated(id: string, google: PlaceAtGoogle, tx: Queries): Promise<void> {
    await tx.query(
      'UPDATE spreadsheets.spreadsheet SET google_id = $2, url = $3, not_shared = $4 WHERE id = $1',
      [idOf(id), google.id, google.url, google.notShared],
    );
  }

  async replaceRows(
    id: string,
    { columns, rows }: { columns: readonly string[]; rows: readonly Row[] },
    tx: Queries,
  ): Promise<void> {
    await tx.query(
      `UPDATE spreadsheets.spreadsheet SET columns = $2, returns = returns + 1, returned_at = now() WHERE id = $1`,
      [id, JSON.stringify(columns)],
    );
    await tx.query('DELETE FROM spreadsheets.spreadsheet_row WHERE spreadsheet_id = $1', [id]);
    await tx.query(
      `INSERT INTO spreadsheets.spreadsheet_row (spreadsheet_id, position, cells)
       SELECT $1, ordinality, cells FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS row (cells, ordinality)`,
      [id, JSON.stringify(rows)],
    );
  }

  migrate(): Promise<readonly string[]> {
    return away(() => migrate(this.#pool), isPostgresLost);
  }

  async verify(): Promise<void> {
    await this.#query('SELECT FROM spreadsheets.spreadsheet, spreadsheets.spreadsheet_row LIMIT 0', []);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  #query<R extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<R[]> {
    return away(async () => (await this.#pool.query<R>(text, values)).rows, isPostgresLost);
  }
}

/** A job's key may be any text, and one that is no UUID is an error to Postgres. NULL is the id of nothing. */
function idOf(key: string): string | null {
  return uuidOf(key) ?? null;
}

const COLUMNS =
  'id, owner, title, columns, create_job, created_at, google_id, url, not_shared, returns, returned_at';

interface SpreadsheetRow {
  readonly id: string;
  readonly owner: string;
  readonly title: string;
  readonly columns: readonly string[];
  readonly create_job: string;
  readonly created_at: Date;
  readonly google_id: string | null;
  readonly url: string | null;
  readonly not_shared: string | null;
  readonly returns: number;
  readonly returned_at: Date | null;
}

function spreadsheetOf(row: SpreadsheetRow): Spreadsheet {
  const { id, owner, title, columns, google_id: googleId, url, not_shared: notShared, returns } = row;
  return {
    id,
    owner,
    title,
    columns,
    createJob: row.create_job,
    createdAt: row.created_at,
    google: googleId === null || url === null ? null : { id: googleId, url, notShared },
    returns,
    returnedAt: row.returned_at,
  };
}
