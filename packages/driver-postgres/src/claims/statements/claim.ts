import { pauseConditions } from '../../admission/statements/pauses.js';
import type { Server } from '../../connection/server.js';
import { JOB } from '../../jobs/statements/columns.js';
import type { Functions, Tables } from '../../schema/tables.js';
import { unseen } from '../../values/unseen.js';

/** Whether a job with these limits is in the claim's index, and its time has come. */
export const claimable = (limits: string): string =>
  `status = 'new' AND due AND ${limits} AND available_at <= statement_timestamp()`;

/** The claim, and its transaction's settings. */
export const claimStatements = (tables: Tables, { enterLimits, limitGate }: Functions) => {
  const { job, limitSlot, limitMark, limitSetting } = tables;
  const { isQueuePaused, isPartPaused, isKindOpen } = pauseConditions(tables);
  /**
   * NO KEY does not block foreign keys to the job. The comparison of rows is the line in the sand.
   * statement_timestamp() is used because now() would be the transaction's begin.
   *
   * The planner must rate a generic plan as cheap as a plan for these values. Otherwise it plans each claim anew.
   * Four forms hide the values from the planner:
   * - A limit as a parameter counts as a tenth of the rows.
   * - Behind coalesce() the planner ignores its statistics of the keys, which may show one busy key in all rows.
   * - Behind coalesce() it takes half of the rows for those of kinds that are not paused. By its statistics of the kinds it may
   *   take none.
   * - Behind a SELECT the planner ignores its statistics of priorities, which may show none beyond the line.
   *
   * While the queue is paused, that SELECT is NULL, and the index is not searched. As a condition of its own the look at the pauses took
   * 2 us longer, a twentieth of the claim.
   *
   * Without these forms, planning each claim of one job cost half as much again of the server's time for the job. The measure was
   * beside a million settled and a million later jobs, 100,000 of a busy key, or dead rows that an old snapshot keeps.
   */
  const claim = (limits: string, isPaused: string, limit: string): string => `
      SELECT ${JOB} FROM ${job}
      WHERE queue = $1 AND ${claimable(limits)}
        AND (priority, id) > ((SELECT $2::smallint WHERE NOT ${isPaused}), $3)
        AND kind = ANY($4)
        AND coalesce(key <> ALL($5), true)
        AND ${isKindOpen}
      ORDER BY priority, id
      LIMIT ${limit}
      FOR NO KEY UPDATE SKIP LOCKED`;

  return {
    // LOCAL sets the bounds for a transaction, SESSION for a session. The server drops a vanished client after 20 s of silence:
    // it sends 5 probes, the first after 10 s. The server also drops a client that does not take what is sent to it.
    // Where the settings have no effect, as on a Unix socket, the server ignores them. A client that ends while its statement
    // runs is noticed within a second.
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

    claim: claim("limits = ''", isQueuePaused('$1'), unseen('$6', 'bigint')),

    claimOne: claim("limits = ''", isQueuePaused('$1'), '1'),

    // Takes a slot of each limit only when there is a job. The index of jobs with limits is used only by a condition that it has itself.
    claimLimited: `
      WITH claimed AS MATERIALIZED (${claim("limits = $6::text AND limits <> ''", isPartPaused('$1', '$6::text'), '1')})
      SELECT *, to_json(${enterLimits}($7, $8, $9)) AS slots FROM claimed`,

    // Also locks a slot of the job's only limit, $7. The gate is shared before, and even if there is no job: `checkSlot` opens it.
    claimWithSlot: `
      SELECT claimed.*, slot.n AS slot FROM (SELECT pg_advisory_lock_shared(${limitGate}($7)) OFFSET 0) AS gate
      LEFT JOIN LATERAL (${claim("limits = $6::text AND limits <> ''", isPartPaused('$1', '$6::text'), '1')}) AS claimed ON true
      LEFT JOIN LATERAL (
        SELECT n FROM ${limitSlot} WHERE name = $7 AND n >= $8 ORDER BY n LIMIT 1 FOR UPDATE SKIP LOCKED
      ) AS slot ON claimed.id IS NOT NULL`,

    // Opens the gate, and returns a row, if a locked slot is proof enough: none lies beyond the size, and no lease has one.
    // Otherwise the slot has to be given back first.
    checkSlot: `
      SELECT pg_advisory_unlock_shared(${limitGate}($1)) AS opened
      WHERE NOT EXISTS (
          SELECT FROM ${limitSlot} WHERE name = $1
            AND n > coalesce((SELECT max FROM ${limitSetting} WHERE name = $1), $2::integer))
        AND NOT EXISTS (SELECT FROM ${limitMark} WHERE name = $1 AND until > clock_timestamp())`,

    openGate: `SELECT pg_advisory_unlock_shared(${limitGate}($1))`,

    // The server ignores the statement while the session is idle.
    stopStatement: 'SELECT pg_cancel_backend($1)',
  };
};

/** 0 would be no limit. */
function atLeast1(ms: number): number {
  return Math.max(1, Math.round(ms));
}
