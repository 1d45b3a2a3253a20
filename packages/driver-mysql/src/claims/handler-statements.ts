import { isInTransaction } from '../connection/server-status.js';

/** Blanks and comments ahead of a statement's first word. The server runs the contents of some comments, which do not match. */
const COMMENTS = String.raw`(?:\s|/\*(?!M?!)(?:[^*]|\*(?!/))*\*/|--(?=\s)[^\n]*(?:\n|$)|#[^\n]*(?:\n|$))*`;
const LEADING = new RegExp(`^${COMMENTS}`);

/** MariaDB's BEGIN NOT ATOMIC begins a block of statements. */
const BEGINS = /^(?:begin(?!\s+not\b)|start\s+transaction)\b/i;

/**
 * Finds statements that may change the session. Each statement of a text is checked. A false match, as inside a string, costs one
 * connection and nothing else. A procedure may set the variables that are its arguments.
 */
const CHANGES_SESSION = new RegExp(
  [
    String.raw`(?:^|;)${COMMENTS}(?:(?:set|use|prepare|create\s+(?:or\s+replace\s+)?temporary)\b|/\*M?!|call\b[^;@]*@)`,
    String.raw`\bget_lock\s*\(`,
    String.raw`\binto\s+@`,
    String.raw`@[^\s@]+\s*:=`,
  ].join('|'),
  'i',
);

/** A statement's text without leading comments. The client also takes the text in an object. */
export function textOf(sql: unknown): string {
  return String(Object(sql).sql ?? sql).replace(LEADING, '');
}

/** Whether a statement begins a transaction, and so commits the one that is open. */
export function beginsTransaction(text: string): boolean {
  return BEGINS.test(text);
}

/** Whether a statement may leave changes in the session after the transaction. */
export function changesSession(text: string): boolean {
  return CHANGES_SESSION.test(text);
}

/** Whether the answer shows the end of the transaction. A CALL, or several statements, have several results, rows among them. */
export function endsTransaction([result]: readonly unknown[]): boolean {
  return (Array.isArray(result) ? result : [result]).some(isEnd);
}

/** Whether a result shows the end. Only a result without rows has the server's status. A row may have a column of the same name. */
function isEnd(result: unknown): boolean {
  const { fieldCount, warningStatus, serverStatus } = Object(result);
  if (fieldCount !== 0 || typeof warningStatus !== 'number') return false;
  return typeof serverStatus === 'number' && !isInTransaction(serverStatus);
}
