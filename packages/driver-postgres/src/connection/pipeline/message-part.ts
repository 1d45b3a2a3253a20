import type { QueryResultRow } from 'pg';
import { parserOf, type QueryConfig, type Rows } from '../../query.js';
import { toText } from './to-text.js';

/** The server's description of a column. */
export interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** A row's texts. */
export type Values = readonly (string | null)[];

/** A statement of a message, and its result. */
export class Part {
  name: string | undefined;
  text: string;
  readonly values: (string | null)[];
  fields: readonly Field[] | undefined;
  readonly rows: Values[] = [];
  /** The server's command tag, with the number of changed rows, as in `UPDATE 1`. */
  tag = '';
  #resolve = (): void => {};
  #reject = (_: unknown): void => {};

  /** @throws TypeError for a value that has no text form */
  constructor({ name, text, values = [] }: QueryConfig) {
    this.name = name;
    this.text = text;
    this.values = values.map(toText);
  }

  /** Resolves when the server has completed the statement. Call it once, before the answer arrives. */
  done(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  resolve(): void {
    this.#resolve();
  }

  reject(error: unknown): void {
    this.#reject(error);
  }

  /** The rows of the completed statement. */
  get result(): Rows<QueryResultRow> {
    const columns = (this.fields ?? []).map(({ name, dataTypeID }, place) => ({
      name,
      place,
      parse: parserOf(dataTypeID),
    }));
    const rows = this.rows.map((values) => {
      const row: QueryResultRow = {};
      for (const { name, place, parse } of columns) {
        const value = values[place] ?? null;
        row[name] = value === null ? null : parse(value);
      }
      return row;
    });
    return { rows, rowCount: Number(this.tag.split(' ').at(-1)) };
  }
}
