import { readFile } from 'node:fs/promises';
import { createPool, type Pool, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import type { Item } from './item.js';
import type { Target } from './target.js';

/** The copy on MySQL and MariaDB. */
export class MysqlTarget implements Target {
  readonly #pool: Pool;

  constructor(uri: string) {
    this.#pool = createPool({ uri, charset: 'utf8mb4' });
  }

  async prepare(): Promise<void> {
    await this.#pool.query(await readFile(new URL('../tables/mysql.sql', import.meta.url), 'utf8'));
    await this.#pool.query(TURNS);
  }

  async takeTurn(id: number, run: string): Promise<void> {
    await this.#pool.execute(TAKE_TURN, [id, run]);
  }

  async write(id: number, run: string, item: Item | undefined): Promise<boolean> {
    if (item === undefined) return (await this.#change(REMOVE, [id, run])) > 0;
    await this.#change(WRITE, [item.name, item.price, item.note, id, run]);
    return (await this.#change(END_TURN, [id, run])) > 0;
  }

  async ids(): Promise<readonly number[]> {
    const [rows] = await this.#pool.query<(RowDataPacket & { id: number })[]>(
      'SELECT id FROM item ORDER BY id',
    );
    return rows.map(({ id }) => id);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #change(sql: string, values: (string | number | null)[]): Promise<number> {
    const [{ affectedRows }] = await this.#pool.execute<ResultSetHeader>(sql, values);
    return affectedRows;
  }
}

const TURNS = 'CREATE TABLE IF NOT EXISTS item_turn (id INT NOT NULL PRIMARY KEY, run CHAR(36) NOT NULL)';

const TAKE_TURN = 'INSERT INTO item_turn (id, run) VALUES (?, ?) ON DUPLICATE KEY UPDATE run = VALUES(run)';

// Each commits by itself, so a process that is frozen holds no lock here. The turn is locked while its row is written.
const WRITE = `
  INSERT INTO item (id, name, price, note)
  SELECT turn.id, ?, ?, ? FROM item_turn AS turn WHERE turn.id = ? AND turn.run = ? FOR UPDATE
  ON DUPLICATE KEY UPDATE name = VALUES(name), price = VALUES(price), note = VALUES(note)`;

const REMOVE = `
  DELETE turn, item FROM item_turn AS turn LEFT JOIN item ON item.id = turn.id WHERE turn.id = ? AND turn.run = ?`;

const END_TURN = 'DELETE FROM item_turn WHERE id = ? AND run = ?';
