import type { Stored } from '@rowlock/core';
import type { JobCount } from '@rowlock/core/types';
import type { ComponentChildren } from 'preact';
import type { LaneView, OverviewView } from '../../src/views.js';
import { counted, number } from '../format/numbers.js';
import { lasting } from '../format/times.js';
import { addressOf } from '../frame/place.js';
import { Link } from '../parts/link.js';

type Lane = Stored<LaneView>;

/** What all queues have together. */
export function Totals({ lanes, workers }: Pick<Stored<OverviewView>, 'lanes' | 'workers'>) {
  const sum = (of: (lane: Lane) => number): number => lanes.reduce((total, lane) => total + of(lane), 0);
  const count = (of: (lane: Lane) => JobCount): JobCount => ({
    count: sum((lane) => of(lane).count),
    more: lanes.some((lane) => of(lane).more),
  });
  const oldest = Math.max(...lanes.map(({ oldestDueMs }) => oldestDueMs ?? -1));
  const failed = sum(({ hour }) => hour.failed);
  const alive = workers.filter((worker) => worker.alive).length;
  const totals: readonly (readonly [name: string, value: ComponentChildren])[] = [
    ['Due', counted(count(({ due }) => due))],
    ['Oldest due', oldest < 0 ? '–' : lasting(oldest)],
    ['Running', number(sum(({ running }) => running))],
    ['Delayed', counted(count(({ delayed }) => delayed))],
    ['Done a minute', number(sum(({ history }) => history.settled.at(-1) ?? 0))],
    [
      'Failed, 1 h',
      <Link to={addressOf('errors')} key="failed">
        <span class={failed > 0 ? 'bad' : ''}>{number(failed)}</span>
      </Link>,
    ],
    [
      'Workers',
      <Link to={addressOf('workers')} key="workers">
        {number(alive)}
      </Link>,
    ],
  ];
  return (
    <dl class="facts totals panel" aria-label="All queues">
      {totals.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
