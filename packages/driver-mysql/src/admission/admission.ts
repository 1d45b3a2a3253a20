import { type Admission, type JoinableAdmission, type WakeUp, wakeUpFor } from '@rowlock/core/driver';
import type { GateCallParts } from '../claims/limit-call.js';
import { limitedParts } from '../claims/survey.js';
import type { Context } from '../context.js';
import { change, type MysqlTransaction, query } from '../query.js';
import { type LimitSettingRow, type PauseRow, toLimitSetting, toPauseView } from '../rows.js';
import { limitedJobs, rateTimes, takenSlots } from '../store/limited-jobs.js';
import { pruneSlots } from '../store/prune-slots.js';
import { giveBackStarts, takeStarts } from '../store/rates.js';

export function joinableAdmissionOf(
  { sql }: Context,
  on: MysqlTransaction,
  notify: (wakeUps: readonly WakeUp[]) => Promise<void>,
): JoinableAdmission {
  return {
    async setLimit(name, numbers, by) {
      if (numbers === null) await change(on, sql.limits.unsetLimit, [name]);
      else {
        const { max = null, starts = null, perMs = null, burst = null } = numbers;
        await change(on, sql.limits.setLimit, [name, max, starts, perMs, burst, by]);
      }
      await notify([{ limit: name }]);
    },

    limits: async () => (await query<LimitSettingRow>(on, sql.limits.limits)).map(toLimitSetting),

    async pause({ scope, name, until, reason, by }, mode = 'replace') {
      const values = [scope, name, until === null ? null : until.getTime(), reason, by];
      await change(on, mode === 'extend' ? sql.pauses.extendPause : sql.pauses.pause, values);
      await notify([wakeUpFor({ scope, name })]);
    },

    async resume(target) {
      await change(on, sql.pauses.resume, [target.scope, target.name]);
      await notify([wakeUpFor(target)]);
    },

    pauses: async () => (await query<PauseRow>(on, sql.pauses.pauses)).map(toPauseView),
  };
}

export function admissionOf(
  context: Context,
  on: MysqlTransaction,
  bounded: GateCallParts,
  notify: (wakeUps: readonly WakeUp[]) => Promise<void>,
): Admission {
  const { sql } = context;
  const joinable = joinableAdmissionOf(context, on, notify);
  return {
    ...joinable,

    async pause(pause, mode) {
      await joinable.pause(pause, mode);
      // Beside a caller's transaction: under REPEATABLE READ it would lock the gaps, and others who pause would wait for its end.
      await change(on, sql.pauses.endPauses);
    },

    limitedParts: (stretch) => limitedParts(sql, on, stretch),

    limitedJobs: (bounds) => limitedJobs(on, context, bounds),

    takenSlots: (limits) => takenSlots(bounded, on, limits),

    rateTimes: (rates) => rateTimes(on, context, rates),

    takeStarts: (rates, take) => takeStarts(on, sql, rates, take),

    giveBackStarts: (rates, take) => giveBackStarts(on, sql, rates, take),

    pruneSlots: (beyond, ageMs) => pruneSlots(bounded, beyond, ageMs),
  };
}
