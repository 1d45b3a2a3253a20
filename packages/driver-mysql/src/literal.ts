/** Spells a value where a statement can have no parameters. Every value in a trigger goes through here. */
export function literal(value: string | number | bigint | boolean): string {
  if (typeof value !== 'string') return String(value);
  // Any other text as bytes: what a backslash means depends on the session.
  return PLAIN.test(value) ? `'${value}'` : `_utf8mb4 X'${Buffer.from(value).toString('hex')}'`;
}

const PLAIN = /^[\w .:,+\-{}[\]"]*$/;
