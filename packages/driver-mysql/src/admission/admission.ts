import { type Admission, type JoinableAdmission, type WakeUp, wakeUpFor } from '@rowlock/core/driver';
import type { GateCallParts } from '../claims/limit-call.js';
import type { Context } from '../context.js';
import { isThere } from '../jobs/is-there.js';
import type { Scope } from '../jobs/scope.js';
import { change, type MysqlTransaction, read } from '../query.js';
import { type PauseRow, toPauseView } from '../rows.js';
import { limitedJobs, limitsOn } from './jobs.js';
import { limitedParts } from './parts.js';
import { pruneSlots } from './prune.js';
import { giveBackStarts, takeStarts } from './starts.js';

export function joinableAdmissionOf(
  { sql }: Context,
  scope: Scope,
  notify: (wakeUps: readonly WakeUp[]) => Promise<void>,
): JoinableAdmission {
  const { on } = scope;
  return {
    async set(name, numbers, by) {
      if (numbers === null) {
        if (await isThere(scope, sql.limits.lockLimit, [name]))
          await change(on, sql.limits.unsetLimit, [name]);
      } else {
        const { max = null, starts = null, perMs = null, burst = null } = numbers;
        await change(on, sql.limits.setLimit, [name, max, starts, perMs, burst, by]);
      }
      await notify([{ limit: name }]);
    },

    async pause({ scope, name, until, reason, by }, mode = 'replace') {
      const values = [scope, name, until === null ? null : until.getTime(), reason, by];
      await change(on, mode === 'extend' ? sql.pauses.extendPause : sql.pauses.pause, values);
      await notify([wakeUpFor({ scope, name })]);
    },

    async resume(target) {
      const work = [target.scope, target.name];
      if (await isThere(scope, sql.pauses.lockPause, work)) await change(on, sql.pauses.resume, work);
      await notify([wakeUpFor(target)]);
    },

    pauses: async () => (await read<PauseRow>(on, sql.pauses.pauses)).map(toPauseView),
  };
}

export function admissionOf(
  context: Context,
  on: MysqlTransaction,
  bounded: GateCallParts,
  notify: (wakeUps: readonly WakeUp[]) => Promise<void>,
): Admission {
  const { sql } = context;
  const joinable = joinableAdmissionOf(context, { on, outside: on }, notify);
  return {
    ...joinable,

    async pause(pause, mode) {
      await joinable.pause(pause, mode);
      // Beside a caller's transaction: under REPEATABLE READ it would lock the gaps, and others who pause would wait for its end.
      await change(on, sql.pauses.endPauses);
    },

    parts: (stretch) => limitedParts(on, sql, stretch),

    jobs: (bounds) => limitedJobs(on, context, bounds),

    limits: (names) => limitsOn(bounded, on, names),

    take: (rates, take) => takeStarts(on, sql, rates, take),

    giveBack: (names, take) => giveBackStarts(on, sql, names, take),

    prune: (beyond, ageMs) => pruneSlots(bounded, beyond, ageMs),
  };
}
