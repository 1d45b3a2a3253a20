import { readFile } from 'node:fs/promises';
import pg from 'pg';
import type { Item } from './item.js';
import type { Target } from './target.js';

/** The copy on Postgres. */
export class PostgresTarget implements Target {
  readonly #pool: pg.Pool;

  /** @param onLost Called for an idle connection that broke. The pool replaces it by itself. */
  constructor(connectionString: string, onLost: (error: Error) => void) {
    this.#pool = new pg.Pool({ connectionString });
    this.#pool.on('error', onLost);
  }

  async prepare(): Promise<void> {
    await this.#pool.query(await readFile(new URL('../tables/postgres.sql', import.meta.url), 'utf8'));
    await this.#pool.query(TURNS);
  }

  async takeTurn(id: number, run: string): Promise<void> {
    await this.#pool.query(TAKE_TURN, [id, run]);
  }

  async write(id: number, run: string, item: Item | undefined): Promise<boolean> {
    const { rowCount } =
      item === undefined
        ? await this.#pool.query(REMOVE, [id, run])
        : await this.#pool.query(WRITE, [id, run, item.name, item.price, item.note]);
    return rowCount === 1;
  }

  async ids(): Promise<readonly number[]> {
    const { rows } = await this.#pool.query<{ id: number }>('SELECT id FROM item ORDER BY id');
    return rows.map(({ id }) => id);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

const TURNS = 'CREATE TABLE IF NOT EXISTS item_turn (id integer PRIMARY KEY, run uuid NOT NULL)';

const TAKE_TURN =
  'INSERT INTO item_turn (id, run) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET run = excluded.run';

// Each is one statement, so a process that is frozen holds no lock here.
const END_TURN = 'WITH turn AS (DELETE FROM item_turn WHERE id = $1 AND run = $2 RETURNING id)';

const WRITE = `
  ${END_TURN}
  INSERT INTO item (id, name, price, note) SELECT turn.id, $3, $4::numeric, $5 FROM turn
  ON CONFLICT (id) DO UPDATE SET name = excluded.name, price = excluded.price, note = excluded.note`;

const REMOVE = `
  ${END_TURN}, gone AS (DELETE FROM item USING turn WHERE item.id = turn.id)
  SELECT turn.id FROM turn`;
