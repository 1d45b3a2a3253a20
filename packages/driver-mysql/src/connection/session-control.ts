import type { Connection } from 'mysql2/promise';
import type { MysqlTransaction } from '../query.js';
import { cut, sessionOf } from './session.js';

/** Acts on another session of this account, named by `sessionOf`. Neither verb rejects. */
export interface SessionControl {
  /** Stops the session's statement, if it has one. */
  interrupt(session: string): Promise<void>;
  /** Ends the session, and its transaction. */
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
      if (isSafe()) await pool.query(`KILL ${session}`).catch(() => {});
    },
  };
}

/**
 * Interrupts a session's statement, if the session has one and this user has the right. A session that has just ended is no error.
 *
 * @param session Its number on the server of `on`, or the text of `sessionOf`: KILL takes no parameters.
 */
export async function interrupt(on: MysqlTransaction, session: string): Promise<void> {
  await on.query(`KILL QUERY ${session}`).catch(() => {});
}
