import { bareStatements, checkSavepoints } from '@rowlock/sql-drivers';
import type { QueryConfig } from '../query.js';

/**
 * https://www.postgresql.org/docs/current/sql-syntax-lexical.html
 *
 * @param escapes Whether a backslash in any text stands for the sign behind it.
 */
function pieces(escapes: boolean): RegExp {
  const escaped = String.raw`'(?:[^'\\]+|\\[\s\S])*(?:'|$)`;
  return new RegExp(
    [
      String.raw`--[^\n\r]*`,
      String.raw`(?<nesting>/\*)`,
      '(?<quoted>' +
        [
          String.raw`(?<![\w$\x80-\uffff])[eE]${escaped}`,
          escapes ? escaped : "'[^']*(?:'|$)",
          '"[^"]*(?:"|$)',
          String.raw`(?<![\w$\x80-\uffff])(?<tag>\$(?:[A-Za-z_\x80-\uffff][\w\x80-\uffff]*)?\$)[\s\S]*?(?:\k<tag>|$)`,
        ].join('|') +
        ')',
    ].join('|'),
    'g',
  );
}

const PIECES = pieces(false);

/** Where standard_conforming_strings is off. */
const OTHER_PIECES = pieces(true);

/** What sets, or reads, by which of them a session reads texts. */
const MODE = /\bstandard_conforming_strings\b/i;

const ENDS =
  /^(?:begin|start\s+transaction|commit|end|abort|rollback(?!(?:\s+(?:work|transaction))?\s+to\b)|prepare\s+transaction)\b/i;

/** A function in plain SQL has statements of its own, up to an END. */
const OPENS_BODY = /^create\b[\s\S]*\bbegin\s+atomic\b(?!\s+end\b)/i;
const CLOSES_BODY = /^end\b/i;

/** The statements of one session that would begin or end a transaction. */
export class Endings {
  #readings: readonly RegExp[] = [PIECES];

  /** The statement of a text that would, without comments, in whichever way the session may read it. Undefined if there is none. */
  in(text: string): string | undefined {
    if (MODE.test(text)) this.#readings = [PIECES, OTHER_PIECES];
    for (const reading of this.#readings) {
      const ending = endingOf(bareStatements(text, reading));
      if (ending !== undefined) return ending;
    }
    return undefined;
  }

  /** @throws DriverError for a text that uses a savepoint of the claim's */
  checkSavepoints(text: string): void {
    for (const reading of this.#readings) checkSavepoints(text, reading);
  }
}

function endingOf(statements: readonly string[]): string | undefined {
  let isBody = false;
  return statements.find((statement) => {
    if (isBody && CLOSES_BODY.test(statement)) {
      isBody = false;
      return false;
    }
    isBody ||= OPENS_BODY.test(statement);
    return ENDS.test(statement);
  });
}

/**
 * Finds statements whose effect stays in the session after the transaction. Effects that end with the transaction do not count:
 * SET LOCAL, `set_config(…, true)`, ON COMMIT DROP. Each statement of a text is checked.
 * A false match, as inside a string, costs one connection and nothing else.
 */
const STAYS = new RegExp(
  [
    // A statement's beginning, behind comments. Each comment matches in one way only.
    // Two ways would make the time exponential in the number of comments.
    String.raw`(?:^|;)(?:\s|--[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)*(?:` +
      [
        String.raw`set\b(?!\s+(?:local|constraints|transaction)\b)`,
        String.raw`(?:reset|discard|deallocate|listen|load|prepare|do)\b`,
        String.raw`declare\b[^;]*\bwith\s+hold\b`,
        String.raw`create\s+(?:or\s+replace\s+)?(?:(?:global|local)\s+)?temp(?![^;]*\bon\s+commit\s+drop\b)`,
      ].join('|') +
      ')',
    String.raw`\bcreate\b[^;(]*\bpg_temp\s*\.`,
    String.raw`(?<!\binsert\s+)\binto\s+(?:(?:global|local)\s+)?temp(?:orary)?\b`,
    String.raw`\bset_config\s*\((?![^()]*,\s*true\s*\))`,
    String.raw`\bpg_(?:try_)?advisory_lock`,
  ].join('|'),
  'i',
);

/** Whether a statement may leave changes in the session after the transaction. */
export function changesSession(text: string): boolean {
  return STAYS.test(text);
}

/** The text of a call. */
export function textOf(statement: string | QueryConfig): string {
  return String(Object(statement).text ?? statement);
}
