import { BUCKETS, type Driver, type Tally } from '@rowlock/core/driver';
import { describe, expect, test } from 'vitest';

const MINUTE_MS = 60_000;
const TEN_MS = 10 * MINUTE_MS;

/** A tally of a minute, as it is in the table. */
export interface OldTally extends Tally {
  readonly minute: Date;
}

/** A database of the test's own, with two drivers. */
export interface OldTalliesStage {
  readonly drivers: readonly [Driver, Driver];
  /** Puts tallies into the table, past the driver. */
  put(tallies: readonly OldTally[]): Promise<void>;
  /** The kinds and minutes of what is in the table, past the driver. */
  rows(): Promise<readonly { readonly kind: string; readonly minute: Date }[]>;
  end(): Promise<void>;
}

/** What becomes of the sums of minutes that are long over. */
export function describeOldTallies(open: () => Promise<OldTalliesStage>): void {
  describe('old tallies', () => {
    test('those of more than four hours ago are put together by ten minutes, once, whoever does it', async () => {
      const { drivers, put, rows, end } = await open();
      try {
        const [one] = drivers;
        const { now } = await one.history.tallies(question(1));
        const old = Math.floor((now.getTime() - 300 * MINUTE_MS) / TEN_MS) * TEN_MS;
        const late = Math.floor((now.getTime() - 200 * MINUTE_MS) / TEN_MS) * TEN_MS + MINUTE_MS;
        const forgotten = old - 8 * 1_440 * MINUTE_MS;
        const times = [old, old + MINUTE_MS, old + 9 * MINUTE_MS, old + 11 * MINUTE_MS, late];
        const tallies = times.flatMap((time, place) => ['a', 'b'].map((kind) => tally(kind, time, place)));
        await put([...tallies, tally('a', forgotten, 1), tally('a', forgotten + MINUTE_MS, 1)]);
        const before = await one.history.tallies(question(10));
        expect(before.sums.filter(({ lane }) => lane?.kind === 'a')).toHaveLength(3);
        const report = { tallies: [], running: [], runningIds: [], forgets: true };
        await Promise.all([...drivers, ...drivers].map(({ history }) => history.report('1', report)));
        expect((await one.history.tallies(question(10))).sums).toEqual(before.sums);
        const left = [old, old + TEN_MS, late].flatMap((time) => [`a ${time}`, `b ${time}`]);
        expect((await rows()).map(({ kind, minute }) => `${kind} ${minute.getTime()}`).sort()).toEqual(
          left.sort(),
        );
      } finally {
        await end();
      }
    });
  });
}

function question(step: number) {
  return { minutes: 7 * 1_440, step, queue: 'q', kind: null, byLane: true };
}

/** Counts that differ by place, so that none can stand for another. */
function tally(kind: string, time: number, place: number): OldTally {
  const times = new Array<number>(BUCKETS)
    .fill(0)
    .with(place, place + 1)
    .with(BUCKETS - 1, 7);
  const counts = { completed: 2 ** place, failed: place, cancelled: 1, retried: 3 };
  return { minute: new Date(time), queue: 'q', kind, ...counts, waits: times, runs: times.toReversed() };
}
