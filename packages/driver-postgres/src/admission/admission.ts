import {
  type Admission,
  type FoundPart,
  type JoinableAdmission,
  type PauseTarget,
  partsPage,
  wakeUpFor,
} from '@rowlock/core/driver';
import type { NamedStatements } from '../connection/named-statements.js';
import type { Context } from '../context.js';
import { answers, type PostgresTransaction, type Queryable, query } from '../query.js';
import { type PauseRow, toPauseView } from '../rows.js';
import { texts } from '../workers/texts.js';
import { limitedJobs, limitsOn } from './jobs.js';
import { pruneSlots } from './prune.js';
import { RateStarts } from './starts.js';

export function joinableAdmissionOf({ sql, channel }: Context, on: Queryable): JoinableAdmission {
  const changing = (target: PauseTarget): (string | null)[] => [
    target.scope,
    target.name,
    channel,
    texts([wakeUpFor(target)]),
  ];
  return {
    async set(name, numbers, by) {
      const values = [name, channel, texts([{ limit: name }])];
      if (numbers === null) await query(on, sql.limits.unsetLimit, values);
      else {
        const { max, starts, perMs, burst } = numbers;
        const set = [max, starts, perMs, burst].map((number) =>
          number === undefined ? null : String(number),
        );
        await query(on, sql.limits.setLimit, [...values, ...set, by]);
      }
    },

    async pause({ until, reason, by, ...target }, mode = 'replace') {
      const values = [...changing(target), until?.toISOString() ?? null, reason, by];
      await query(on, mode === 'extend' ? sql.pauses.extendPause : sql.pauses.pause, values);
    },

    async resume(target) {
      await query(on, sql.pauses.resume, changing(target));
    },

    pauses: async () => (await answers<PauseRow>(on, sql.pauses.pauses, [])).map(toPauseView),
  };
}

export function admissionOf(context: Context, on: PostgresTransaction, names: NamedStatements): Admission {
  const { sql, schema } = context;
  const starts = new RateStarts(on, sql, names);
  return {
    ...joinableAdmissionOf(context, on),

    async parts(stretch) {
      const { queues, beyond, limit } = stretch;
      const name = names.nameOf(sql.limits.limitedParts, queues.length);
      const values = [queues, beyond, limit];
      const found = await query<FoundPart & { [column: string]: unknown }>(
        on,
        sql.limits.limitedParts,
        values,
        name,
      );
      return partsPage(found, stretch);
    },

    jobs: (bounds) => limitedJobs(on, context, bounds),

    limits: (limits) => limitsOn(on, sql, limits),

    take: (rates, take) => starts.take(rates, take),

    giveBack: (limits, take) => starts.giveBack(limits, take),

    prune: (beyond, ageMs) => pruneSlots(on, sql, schema, beyond, ageMs),
  };
}
