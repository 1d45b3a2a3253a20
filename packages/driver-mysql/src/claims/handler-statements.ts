import { DriverError } from '@rowlock/core';
import { endRefused, firstWords } from '@rowlock/core/driver';
import { bareStatements, checkSavepoints } from '@rowlock/sql-drivers';
import { isInTransaction } from '../connection/server-status.js';

/** Blanks and comments ahead of a statement's first word. The server runs the contents of some comments, which do not match. */
const COMMENTS = String.raw`(?:\s|/\*(?!M?!)(?:[^*]|\*(?!/))*\*/|--(?=\s)[^\n]*(?:\n|$)|#[^\n]*(?:\n|$))*`;

/**
 * https://dev.mysql.com/doc/refman/8.4/en/comments.html
 * https://dev.mysql.com/doc/refman/8.4/en/string-literals.html
 *
 * @param single Whether a backslash in single quotes stands for the sign behind it.
 * @param double The same in double quotes.
 */
function pieces(single: boolean, double: boolean): RegExp {
  const inside = (quote: string, escapes: boolean): string =>
    escapes ? String.raw`(?:[^${quote}\\]+|\\[\s\S])*` : `[^${quote}]*`;
  const [text, name] = [inside("'", single), inside('"', double)];
  const prepared = single ? String.raw`(?!\k<edge>)[^\\]|\\[\s\S]` : String.raw`(?!\k<edge>)[\s\S]`;
  return new RegExp(
    [
      // What is prepared, or executed at once, is a statement too.
      String.raw`\b(?:prepare\s+\S+\s+from|execute\s+immediate)${COMMENTS}(?<edge>['"])(?<prepared>(?:${prepared}|\k<edge>\k<edge>)*)(?:\k<edge>|$)`,
      String.raw`#[^\n]*`,
      String.raw`--(?=[\s\x00-\x1f]|$)[^\n]*`,
      // The server runs what is in such a comment, unless the server is older than the number says.
      String.raw`/\*M?!\d*(?<run>(?:'${text}'|"${name}"|[^*]|\*(?!/))*)(?:\*/|$)`,
      String.raw`/\*[\s\S]*?(?:\*/|$)`,
      `(?<quoted>'${text}(?:'|$)|"${name}(?:"|$)|\`[^\`]*(?:\`|$))`,
    ].join('|'),
    'gi',
  );
}

const PIECES = pieces(true, true);

/** By the modes ANSI_QUOTES and NO_BACKSLASH_ESCAPES. */
const OTHER_PIECES = [pieces(true, false), pieces(false, false)];

/** What sets, or reads, the mode of a session. */
const MODE = /\bsql_mode\b/i;

/** The variable in the quotes of a name, which an `autocommit` within a text has no need of. */
const QUOTED_VARIABLE = /([`"])autocommit\1/gi;

const ENDS =
  /^(?:(?:begin|start\s+transaction|commit|rollback(?!(?:\s+work)?\s+to\b)|xa)\b|set\b[\s\S]*\bautocommit\s*:?=)/i;

/** MariaDB runs blocks of statements that no procedure has. https://mariadb.com/kb/en/using-compound-statements-outside-of-stored-programs/ */
const OPENS_BLOCK = /^(?:begin\s+not\s+atomic|if|case|loop|repeat|while|for)\b/i;

/** What stands in a block ahead of a statement. */
const CONDITION = String.raw`(?:sqlstate\s+(?:value\s+)?''|not\s+found|\w+)`;
const STEPS = new RegExp(
  String.raw`\b(?:begin|not\s+atomic|then|else|do|loop|repeat)\b|\bhandler\s+for\s+${CONDITION}(?:\s*,\s*${CONDITION})*`,
  'i',
);

/** MariaDB's settings of one statement, ahead of it. */
const SETTINGS = /^set\s+statement\b[\s\S]*?\bfor\b\s*/i;

/** https://dev.mysql.com/doc/refman/8.4/en/implicit-commit.html */
const COMMITS = new RegExp(
  `^(?:${[
    'alter|rename|truncate|grant|revoke|flush|install|uninstall|import|clone|change|stop|start|backup',
    String.raw`create(?!\s+(?:or\s+replace\s+)?temporary\s+table\b)`,
    String.raw`drop(?!\s+(?:temporary\s+table|prepare)\b)`,
    String.raw`(?:analyze|check|optimize|repair)\s+(?:(?:no_write_to_binlog|local)\s+)?tables?`,
    String.raw`(?:lock|unlock)\s+tables?|cache\s+index|load\s+index|reset(?!\s+persist\b)|set\s+(?:default\s+role|password)`,
  ].join('|')})\\b`,
  'i',
);

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

/** A statement's text. The client also takes the text in an object. */
export function textOf(sql: unknown): string {
  return String(Object(sql).sql ?? sql);
}

/** The statements of one session that would begin or end a transaction, or that the server commits by itself. */
export class Endings {
  #readings: readonly RegExp[] = [PIECES];

  /** The error for a text with such a statement, in whichever way the session may read it. Null if there is none. */
  in(text: string): DriverError | null {
    const code = text.replace(QUOTED_VARIABLE, 'autocommit');
    if (MODE.test(code)) this.#readings = [PIECES, ...OTHER_PIECES];
    for (const reading of this.#readings) {
      const ending = endingOf(bareStatements(code, reading));
      if (ending !== null) return ending;
    }
    return null;
  }

  /** @throws DriverError for a text that uses a savepoint of the claim's */
  checkSavepoints(text: string): void {
    for (const reading of this.#readings) checkSavepoints(text, reading);
  }
}

function endingOf(statements: readonly string[]): DriverError | null {
  let isBlock = false;
  for (const each of statements) {
    isBlock ||= OPENS_BLOCK.test(each);
    const steps = isBlock ? each.split(STEPS) : [each];
    for (const step of steps) {
      const statement = step.trim().replace(SETTINGS, '');
      if (ENDS.test(statement)) return endRefused(statement);
      if (COMMITS.test(statement)) return implicitEndRefused(statement);
    }
  }
  return null;
}

/** The error for a statement with which the server would commit the open transaction. @param statement Without comments */
function implicitEndRefused(statement: string): DriverError {
  return new DriverError(
    'InvalidInput',
    `${firstWords(statement)} was not sent: the server commits the open transaction with it, and this tx is in one that Rowlock itself commits. Send the ` +
      'statement on another connection.',
  );
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
