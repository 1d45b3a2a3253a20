/** What stands ahead of a statement's first word. The server runs the contents of some comments. */
const COMMENTS = String.raw`(?:\s|/\*(?!M?!)(?:[^*]|\*(?!/))*\*/|--(?=\s)[^\n]*(?:\n|$)|#[^\n]*(?:\n|$))*`;
const LEADING = new RegExp(`^${COMMENTS}`);

/** MariaDB's BEGIN NOT ATOMIC begins a block of statements. */
const BEGINS = /^(?:begin(?!\s+not\b)|start\s+transaction)\b/i;

/**
 * Each of several statements is looked at. A match in a text that is no statement costs a connection, and no more. A procedure may
 * set the variables that are passed to it.
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

/** A flag of the server's status, which the server sends with each answer. */
const IN_TRANSACTION = 1;

/** The text of a statement, which the client also takes in an object, without leading comments. */
export function textOf(sql: unknown): string {
  return String(Object(sql).sql ?? sql).replace(LEADING, '');
}

/** Whether a statement begins a transaction, and so commits the one that is open. */
export function beginsTransaction(text: string): boolean {
  return BEGINS.test(text);
}

/** Whether a statement may leave something in the session when the transaction is over. */
export function changesSession(text: string): boolean {
  return CHANGES_SESSION.test(text);
}

/** Whether the answer says that the transaction is over. A CALL, or several statements, have several results, rows among them. */
export function endsTransaction([result]: readonly unknown[]): boolean {
  return (Array.isArray(result) ? result : [result]).some(isEnd);
}

/** A result without rows has the server's status. Rows come here too, and may have a column of one of these names. */
function isEnd(result: unknown): boolean {
  const { fieldCount, warningStatus, serverStatus } = Object(result);
  if (fieldCount !== 0 || typeof warningStatus !== 'number') return false;
  return typeof serverStatus === 'number' && (serverStatus & IN_TRANSACTION) === 0;
}
