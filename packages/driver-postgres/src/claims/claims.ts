import type { Claims } from '@rowlock/core/driver';
import { checkCall, ownHandle } from '@rowlock/sql-drivers';
import { type PostgresTransaction, query } from '../query.js';
import type { ClaimParts } from './claim-parts.js';
import { PostgresClaimSession } from './claim-session.js';
import { CountedLimits } from './counted-limits.js';
import { reclaim } from './reclaim.js';
import { RunStarts } from './run-starts.js';
import { dueQueues, survey } from './survey.js';
import { WalFlush } from './wal-flush.js';

export interface ClaimsParts extends Pick<ClaimParts, 'context' | 'names' | 'settings'> {
  /** For short statements. */
  readonly on: PostgresTransaction;
  readonly server: () => Promise<ClaimParts['server']>;
  readonly connect: ConstructorParameters<typeof PostgresClaimSession>[0]['connect'];
  readonly letGo: () => void;
}

export function claimsOf({
  on,
  server,
  connect,
  letGo,
  ...shared
}: ClaimsParts): Claims<PostgresTransaction> {
  const { context, names, settings } = shared;
  const { sql } = context;
  const surveys = { on, sql, names, settings };
  const counted = new CountedLimits();
  const starts = new RunStarts(
    on,
    sql,
    names,
    new WalFlush(on, sql.runs.flush, () => names.nameOf(sql.runs.flush, 1)),
  );
  return {
    session({ idleLimitMs: limitMs }) {
      const parts = async (): Promise<ClaimParts> => ({
        ...shared,
        pool: on,
        server: await server(),
        counted,
        limitMs,
      });
      return new PostgresClaimSession({ connect, letGo, parts });
    },

    deferred: (sender) =>
      ownHandle({
        query(...call) {
          checkCall(call);
          return sender.send((handle) => handle.query(...call));
        },
      }),

    dueQueues: (lanes) => dueQueues(surveys, lanes),

    survey: (lanes, except = []) => survey(surveys, lanes, except),

    reclaim: (scope) => reclaim(context, on, names, scope),

    startRuns: (runs, crashed) => starts.start(runs, crashed),

    async noteRun({ runId, jobs }, progress) {
      await query(on, sql.runs.noteProgress, [jobs, runId, JSON.stringify(progress)]);
    },
  };
}
