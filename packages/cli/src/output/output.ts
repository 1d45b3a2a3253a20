import { styleText } from 'node:util';
import type { Terminal } from '../terminal.js';
import { plain } from './plain.js';
import { type Column, table } from './table.js';
import { json } from './values.js';

type Style = 'bold' | 'red' | 'yellow' | 'green';

/** A line of which the beginning is coloured where a person sees it. */
interface Marked {
  readonly style: Style;
  readonly mark: string;
  readonly text: string;
}

/** Writes what a command has found: tables and sentences for people, or JSON for programs, an object a line. */
export class Output {
  readonly #stdout: Terminal['stdout'];
  readonly isJson: boolean;

  constructor({ stdout }: Pick<Terminal, 'stdout'>, isJson: boolean) {
    this.#stdout = stdout;
    this.isJson = isJson;
  }

  /** @param none What people read where there is no row. */
  list<Row>(rows: readonly Row[], columns: readonly Column<Row>[], none: string): void {
    if (this.isJson) for (const row of rows) this.#line(json(row));
    else if (rows.length === 0) this.#line(none);
    else this.#table(rows, columns);
  }

  /** @param lines What people read. A name in them may be anything. */
  one(found: object, ...lines: readonly (string | Marked)[]): void {
    if (this.isJson) this.#line(json(found));
    else
      for (const line of lines)
        this.#line(
          typeof line === 'string'
            ? plain(line)
            : `${this.#styled(line.style, line.mark)}${plain(line.text)}`,
        );
  }

  /** A sentence for people alone. */
  say(line: string): void {
    if (!this.isJson) this.#line(plain(line));
  }

  /** Text that is neither, as SQL. */
  raw(text: string): void {
    this.#stdout.write(text);
  }

  #styled(style: Style, text: string): string {
    return this.#stdout.isTTY === true ? styleText(style, text, { stream: this.#stdout }) : text;
  }

  #table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
    const width = (this.#stdout.isTTY === true && this.#stdout.columns) || Number.POSITIVE_INFINITY;
    const { head, lines } = table(rows, columns, width);
    if (head !== null) this.#line(this.#styled('bold', head));
    for (const line of lines) this.#line(line);
  }

  #line(text: string): void {
    this.#stdout.write(`${text}\n`);
  }
}
