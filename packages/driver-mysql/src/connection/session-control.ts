import type { Connection } from 'mysql2/promise';
import type { MysqlTransaction } from '../query.js';
import { cut, sessionOf } from './session.js';

/** Acts on another session of this account, named by `sessionOf`. Neither verb rejects. */
export interface SessionControl {
  /** Stops the session's statement, if it has one. */
  interrupt(session: string): Promise<void>;
  /** Ends the session, and its transaction, unless it is in its commit. */
  end(session: string): Promise<void>;
}

/**
 * Gives up a statement that has no answer. Its session is ended on the server, which would otherwise do the statement
 * later: a caller who tries again would have done it twice.
 */
export function giveUp(control: SessionControl, client: Connection): void {
  cut(client);
  void control.end(sessionOf(client));
}

/**
 * @param isSafe Whether a number is always that of one client's session. A proxy that lets clients share sessions may give the number
 * of another client's session.
 */
export function sessionControl(pool: MysqlTransaction, isSafe: () => boolean): SessionControl {
  return {
    async interrupt(session) {
      if (isSafe()) await interrupt(pool, session);
    },
    async end(session) {
      if (isSafe() && !(await isCommitting(pool, session)))
        await pool.query(`KILL ${session}`).catch(() => {});
    },
  };
}

/**
 * Whether a session is in its commit, which nothing stops any more. It may wait there for room on the disk of MySQL's binary log, and
 * if it were killed then, the whole server would stop, by its `binlog_error_action`.
 */
async function isCommitting(on: MysqlTransaction, session: string): Promise<boolean> {
  try {
    const [[own]] = await on.query(`SELECT ${session} AS id`);
    const [sessions] = await on.query('SHOW PROCESSLIST');
    return sessions.some(
      ({ Id, State }: { readonly Id: unknown; readonly State: unknown }) =>
        Number(Id) === Number(own.id) && State === 'waiting for handler commit',
    );
  } catch {
    return false;
  }
}

/**
 * Interrupts a session's statement, if the session has one and this user has the right. A session that has just ended is no error.
 *
 * @param session Its number on the server of `on`, or the text of `sessionOf`: KILL takes no parameters.
 */
export async function interrupt(on: MysqlTransaction, session: string): Promise<void> {
  await on.query(`KILL QUERY ${session}`).catch(() => {});
}
