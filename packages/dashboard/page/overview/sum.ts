import type { Stored } from '@rowlock/core';
import type { JobCount } from '@rowlock/core/types';
import type { LaneView } from '../../src/views.js';

type Lane = Stored<LaneView>;

/** What a kind has, or several together. */
export interface Numbers extends Pick<Lane, 'due' | 'oldestDueMs' | 'running' | 'delayed' | 'history'> {
  readonly hour: Pick<Lane['hour'], 'settled' | 'failed' | 'retried' | 'waitedMs' | 'tookMs'>;
}

/** What these lanes have together. Of shares of times there is no sum. */
export function sumOf(lanes: readonly Lane[]): Numbers {
  const sum = (of: (lane: Lane) => number): number => lanes.reduce((total, lane) => total + of(lane), 0);
  const count = (of: (lane: Lane) => JobCount): JobCount => ({
    count: sum((lane) => of(lane).count),
    more: lanes.some((lane) => of(lane).more),
  });
  const oldest = lanes.flatMap(({ oldestDueMs }) => oldestDueMs ?? []);
  return {
    due: count(({ due }) => due),
    delayed: count(({ delayed }) => delayed),
    oldestDueMs: oldest.length === 0 ? null : Math.max(...oldest),
    running: sum(({ running }) => running),
    hour: {
      settled: sum(({ hour }) => hour.settled),
      failed: sum(({ hour }) => hour.failed),
      retried: sum(({ hour }) => hour.retried),
      waitedMs: null,
      tookMs: null,
    },
    history: {
      due: sumOfEach(lanes.map(({ history }) => history.due)),
      settled: sumOfEach(lanes.map(({ history }) => history.settled)),
    },
  };
}

/** The last numbers are of the same look. */
function sumOfEach(lists: readonly (readonly number[])[]): readonly number[] {
  const length = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length }, (_, place) =>
    lists.reduce((total, list) => total + (list[list.length - length + place] ?? 0), 0),
  );
}
