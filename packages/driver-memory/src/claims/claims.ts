import { type Claims, storableJson } from '@rowlock/core/driver';
import type { Database } from '../engine/database.js';
import type { Execute } from '../engine/execute.js';
import type { MemoryTransaction } from '../engine/memory-transaction.js';
import type { Process } from '../engine/process.js';
import { MemoryClaimSession } from './claim-session.js';
import { DeferredTransaction } from './deferred-transaction.js';
import { reclaim } from './statements/lease.js';
import { noteProgress, startRuns } from './statements/runs.js';
import { dueQueues, survey } from './statements/survey.js';

export function claimsOf(database: Database, process: Process, execute: Execute): Claims<MemoryTransaction> {
  return {
    session: ({ idleLimitMs }) => new MemoryClaimSession(database, () => process.begin(idleLimitMs)),

    deferred: (sender) => new DeferredTransaction(database, sender),

    dueQueues: (lanes) => execute((place) => dueQueues(place, lanes)),

    survey: (lanes) => execute((place) => survey(place, lanes)),

    reclaim: (scope) => execute((place) => reclaim(place, scope)),

    /** Memory has no disk: a visible record counts as durable. */
    startRuns(runs, crashed) {
      const visible = execute((place) => startRuns(place, runs, crashed));
      return { visible, durable: () => visible.then(() => {}) };
    },

    noteRun: (run, progress) => execute((place) => noteProgress(place, run, storableJson(progress))),
  };
}
