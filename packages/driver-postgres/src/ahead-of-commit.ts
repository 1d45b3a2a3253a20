import type { Pool, QueryResultRow } from 'pg';
import { inOneFlight } from './in-one-flight.js';
import type { OwnSessions } from './own-sessions.js';
import type { PostgresTransaction } from './query.js';
import { soon } from './session.js';
import type { Statements } from './statements.js';

/** The pool as something that tells the rows of a statement before its commit, and resolves after it. */
export type AheadOfCommit = <Row extends QueryResultRow>(
  tell: (rows: readonly Row[]) => void,
) => PostgresTransaction;

/**
 * The server is sent the statement with its BEGIN and its COMMIT in one piece, and answers each by itself: when it has answered the
 * statement, it has the COMMIT too, and does it whatever becomes of this process. The flush of the log is not waited for.
 */
export function aheadOfCommit(
  pool: Pool,
  answerMs: number,
  own: OwnSessions,
  { begin }: Pick<Statements, 'begin'>,
): AheadOfCommit {
  return (tell) => ({
    query: (text, values) =>
      soon(pool, answerMs, own, (client) =>
        inOneFlight(client, async () => {
          const begun = client.query(begin);
          const answer = client.query<never>(text, values).then((result) => {
            tell(result.rows);
            return result;
          });
          const [, result] = await Promise.all([begun, answer, client.query('COMMIT')]);
          return result;
        }),
      ),
  });
}
