import { type ChangeOf, capturedJob, defineHandler, type RunContext } from '@rowlock/core';
import { type CapturedSubject, capturesOf, type OrderCapture, subjectsOf, TOGETHER } from '../captures.js';
import type { LegacySchema } from '../search/sources.js';
import { over, Spread } from './spread.js';

/** What is said of a customer, an item or a maker is said of many orders: a job goes through them. */
export function subjectChanged<Tx>(of: Exclude<CapturedSubject, 'order'>, legacy: LegacySchema) {
  return defineHandler({
    ...capturedJob(...capturesOf(legacy, of)),
    group: TOGETHER,
    async run({ jobs, enqueueMany }: RunContext<ChangeOf<OrderCapture>, Tx>) {
      const { numbers, isOfAll } = subjectsOf(of, jobs);
      const subjects = isOfAll ? [{ of: 'all' as const, no: 0 }] : numbers.map((no) => ({ of, no }));
      await enqueueMany(
        Spread,
        subjects.map((subject) => over(subject)),
      );
    },
  });
}
