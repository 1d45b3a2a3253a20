import type { Server } from '../connection/server.js';
import { JOB } from './columns.js';
import type { Tables } from './tables.js';

/** The claim, and the transaction that it is made in. */
export const claimStatements = ({ job }: Tables) => {
  /**
   * NO KEY: stays out of the way of foreign keys to the job. The comparison of rows is the line in the sand. statement_timestamp():
   * now() would be the transaction's begin. So that the planner takes a plan for any values for as cheap as one for these, and does not
   * make one for each claim: a limit that is a parameter counts as a tenth of what there may be; what it knows of the keys, that all are
   * busy for one, it does not look for in coalesce(); nor behind a SELECT what it knows of priorities, that none is beyond the line's.
   * Beside a million settled and a million later jobs, 100,000 of a busy key, or dead rows that an old snapshot keeps, each claim of one
   * job was planned anew, for half as much again of the server's time for the job.
   */
  const claim = (limit: string): string => `
      SELECT ${JOB} FROM ${job}
      WHERE queue = $1 AND status = 'new' AND due AND available_at <= statement_timestamp()
        AND (priority, id) > ((SELECT $2::smallint), $3)
        AND kind = ANY($4)
        AND coalesce(key <> ALL($5), true)
      ORDER BY priority, id
      LIMIT ${limit}
      FOR NO KEY UPDATE SKIP LOCKED`;

  return {
    // For a session, or, LOCAL, for a transaction. The server lets go of a client that has vanished when it has been silent for
    // 20 s: asked for a sign of life after 10 s, 5 times; or when it does not take what is sent to it. Where that cannot be set,
    // as on a Unix socket, the server ignores it. A client that ends while its statement runs is noticed within a second.
    bounds: (
      scope: 'SESSION' | 'LOCAL',
      limitMs: number,
      { boundsTransactions, looksForClients }: Server,
    ): string =>
      [
        `idle_in_transaction_session_timeout = ${atLeast1(limitMs)}`,
        ...(boundsTransactions ? [`transaction_timeout = ${atLeast1(limitMs)}`] : []),
        ...(looksForClients ? ['client_connection_check_interval = 1000'] : []),
        'tcp_keepalives_idle = 10',
        'tcp_keepalives_interval = 2',
        'tcp_keepalives_count = 5',
        'tcp_user_timeout = 20000',
      ]
        .map((setting) => `SET ${scope} ${setting}`)
        .join('; '),

    claim: claim('$6'),

    claimOne: claim('1'),

    // While the session idles, the server ignores it.
    stopStatement: 'SELECT pg_cancel_backend($1)',
  };
};

/** 0 would be no limit. */
function atLeast1(ms: number): number {
  return Math.max(1, Math.round(ms));
}
