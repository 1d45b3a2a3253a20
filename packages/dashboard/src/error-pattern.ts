import { createHash } from 'node:crypto';

/**
 * What differs from one failure to the next: addresses, ids, what is in quotes, numbers. Words that have a digit are ids. The
 * longer forms come first, because a number is a part of them.
 */
const VARIABLE = new RegExp(
  [
    String.raw`\b[a-z][a-z\d+.-]*:\/\/\S+`,
    String.raw`[\w.+-]+@[\w-]+\.[\w.-]+`,
    '"[^"]*"|`[^`]*`|\u201c[^\u201d]*\u201d|\u00ab[^\u00bb]*\u00bb',
    String.raw`(?<!\w)'[^']*'(?!\w)`,
    String.raw`\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b`,
    String.raw`[+-]?\b(?=\w*\d)\w+(?:[.,:/-]\w*\d\w*)*`,
  ].join('|'),
  'gi',
);

const LEFT_OUT = '\u2026';

/** A shorter part would find too much. */
const SHORTEST_PART = 4;

/** The part of an error's message that its other occurrences have, too. Example: `No order 17 for "ada"` is `No order … for …`. */
export function errorPattern(message: string): string {
  return message.replaceAll(VARIABLE, LEFT_OUT);
}

/** The longest part of a code in an id. */
const CODE = 100;

/** What names the errors of a code and a pattern, for what operators say of them. Example: `ENOROUTE 3f2a9c1b70d4e586` */
export function errorId(code: string, pattern: string): string {
  const hash = createHash('sha256').update(JSON.stringify([code, pattern]));
  return `${code.slice(0, CODE)} ${hash.digest('hex').slice(0, 16)}`.trim().toWellFormed();
}

/** The longest text that all messages of a pattern have. Empty if it would be too short. */
export function commonText(pattern: string): string {
  const parts = pattern.split(LEFT_OUT).map((part) => part.trim());
  const longest = parts.reduce((one, other) => (other.length > one.length ? other : one), '');
  return longest.length < SHORTEST_PART ? '' : longest;
}
