/** Whether an error of `pg` speaks of the connection and not of the statement. */
export function isPostgresLost(error: Error, code: string): boolean {
  return SQL_STATES.test(code) || MESSAGES.test(error.message);
}

/** Connection exceptions, the server's shutdown, crash and start, and too many connections. */
const SQL_STATES = /^(08\w{3}|57P0[1-3]|53300)$/;

/** `pg` reports these without a code. */
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;
