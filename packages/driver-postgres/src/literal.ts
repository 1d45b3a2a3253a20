import pg from 'pg';

/** Spells a value where a statement can have no parameters. Every value in a trigger goes through here. */
export function literal(value: string | number | bigint | boolean): string {
  return typeof value === 'string' ? pg.escapeLiteral(value).trim() : String(value);
}
