import type { Claims } from '@rowlock/core/driver';
import { checkCall, ownHandle } from '@rowlock/sql-drivers';
import type { ClaimConnections } from '../connection/claim-connections.js';
import type { SessionControl } from '../connection/session-control.js';
import type { Context } from '../context.js';
import type { InTransaction } from '../jobs/in-transaction.js';
import type { MysqlTransaction } from '../query.js';
import { MysqlClaimSession } from './claim-session.js';
import type { GateCallParts } from './limit-call.js';
import { widenLimit } from './new-slots.js';
import { noteRun } from './note-run.js';
import { reclaim } from './reclaim.js';
import { startRuns } from './run-starts.js';
import { dueQueues, survey } from './survey.js';

export interface ClaimsParts {
  readonly context: Context;
  /** The pool, for short statements. */
  readonly on: MysqlTransaction;
  readonly inTransaction: InTransaction;
  readonly connections: ClaimConnections;
  readonly control: SessionControl;
  readonly bounded: GateCallParts;
}

export function claimsOf(parts: ClaimsParts): Claims<MysqlTransaction> {
  const { context, on, inTransaction, connections, control, bounded } = parts;
  const { sql } = context;
  return {
    session: (options) =>
      new MysqlClaimSession(context, connections, control, (limit) => widenLimit(bounded, limit), options),

    deferred: (sender) =>
      ownHandle({
        execute(...call) {
          checkCall(call);
          return sender.send((handle) => handle.execute(...call));
        },
        query(...call) {
          checkCall(call);
          return sender.send((handle) => handle.query(...call));
        },
      }),

    dueQueues: (lanes) => dueQueues(sql, on, lanes),

    survey: (lanes, except = []) => survey(sql, on, inTransaction, lanes, except),

    reclaim: (scope) => reclaim(context, on, inTransaction, scope),

    startRuns: (runs, crashed) => startRuns(on, sql, runs, crashed),

    noteRun: (run, progress) => noteRun(on, sql, run, progress),
  };
}
