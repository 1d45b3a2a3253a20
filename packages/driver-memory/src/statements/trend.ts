import type { Tallies, Tally, TallyStep, TrendQuestion } from '@rowlock/core/driver';
import type { Place } from './place.js';
import { sum } from './statistics.js';

const MINUTE_MS = 60_000;

export function tallies({ database, tx }: Place, { minutes, step, queue }: TrendQuestion): Tallies {
  const now = database.clock.now();
  const since = (Math.floor(now / MINUTE_MS) - minutes) * MINUTE_MS;
  const wanted = database.tables.tallies.find(
    tx,
    (row) => row.minute >= since && (queue ?? row.queue) === row.queue,
  );
  const steps = Map.groupBy(wanted, ({ value }) => Math.floor(value.minute / (step * MINUTE_MS)));
  return {
    now: new Date(now),
    steps: [...steps]
      .toSorted(([one], [other]) => one - other)
      .map(([place, rows]): TallyStep => {
        const { completed, failed, cancelled, retried, waits } = rows
          .map(({ value }): Tally => value)
          .reduce(sum);
        const at = new Date(place * step * MINUTE_MS);
        return { at, completed, failed, cancelled, retried, waits };
      }),
  };
}
