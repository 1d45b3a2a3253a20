import type { State } from '@rowlock/core';
import { type Settlement, TRANSITIONS } from '@rowlock/core/driver';
import { plainArray } from './plain-array.js';
import { storableJson } from './storable.js';

/** Whether jobs are complete, without output, and nothing sets their settlements apart. */
export function areAlike(
  settlements: readonly Settlement[],
): settlements is readonly [Settlement, ...Settlement[]] {
  const [first] = settlements;
  if (first === undefined) return false;
  return settlements.every(
    ({ event, output, processId, attempt, crashes, tookMs, by }) =>
      event === 'complete' &&
      output === null &&
      processId === first.processId &&
      attempt === first.attempt &&
      crashes === first.crashes &&
      tookMs === first.tookMs &&
      by === first.by,
  );
}

/** What settlements that are alike have in common: $2 to $7. */
export function sharedBy({ processId, attempt, crashes, tookMs, by }: Settlement, from: State): unknown[] {
  return [processId, attempt, crashes, tookMs, by, from];
}

/** What settlements of any sort are written by: $1 to $13. */
export function endingsOf(settlements: readonly Settlement[], from: State): unknown[] {
  const column = <Value>(value: (settlement: Settlement) => Value): Value[] => settlements.map(value);
  return [
    plainArray(column(({ id }) => id)),
    plainArray(column(({ processId }) => processId)),
    plainArray(column(({ event }) => event)),
    plainArray(column(({ event }) => TRANSITIONS[event].to)),
    plainArray(column(({ attempt }) => attempt)),
    plainArray(column(({ crashes }) => crashes)),
    plainArray(column(({ delayMs }) => delayMs)),
    plainArray(column(({ tookMs }) => tookMs)),
    column(({ output }) => (output === null ? null : storableJson(output))),
    column(({ error }) => (error === null ? null : storableJson(error))),
    column(({ by }) => by),
    from,
    plainArray(settlements.filter(({ event }) => event !== 'complete').map(({ id }) => id)),
  ];
}
