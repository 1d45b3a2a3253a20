import type { Database, Value } from './adapted.js';

const PLACEHOLDERS: Readonly<Record<Database, RegExp>> = { postgres: /\$(\d+)/g, mysql: /\?/g };

/** A statement without its placeholders: there is one text more than there are values. */
export interface Pieces {
  readonly texts: readonly string[];
  readonly values: readonly Value[];
}

/** Takes a statement of Rowlock's apart, which has no placeholder's sign in a text or a comment. */
export function piecesOf(database: Database, text: string, given: readonly Value[]): Pieces {
  const texts: string[] = [];
  const values: Value[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDERS[database])) {
    const place = match[1] === undefined ? values.length : Number(match[1]) - 1;
    values.push(given[place] ?? null);
    texts.push(text.slice(end, match.index));
    end = match.index + match[0].length;
  }
  return { texts: [...texts, text.slice(end)], values };
}
