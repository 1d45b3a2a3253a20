import type { Stored } from '@rowlock/core';
import type { LaneView, OverviewView } from '../../src/views.js';
import { counted, jobsIn, number, share } from '../format/numbers.js';
import { lasting } from '../format/times.js';
import { addressOf } from '../frame/place.js';
import { Link } from '../parts/link.js';
import { sumOf } from './sum.js';

type Lane = Stored<LaneView>;

/** A number of all queues, and what belongs to it. */
interface Figure {
  readonly name: string;
  readonly value: string;
  readonly about: string;
  readonly to: string;
  readonly isBad?: boolean;
}

/** What all queues have together. */
export function Totals({ lanes, workers }: Pick<Stored<OverviewView>, 'lanes' | 'workers'>) {
  return (
    <dl class="figures panel" aria-label="All queues">
      {figuresOf(lanes, workers).map(({ name, value, about, to, isBad = false }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={`figure ${isBad ? 'bad' : ''}`}>
            <Link to={to}>{value}</Link>
          </dd>
          <dd class="hint">{about}</dd>
        </div>
      ))}
    </dl>
  );
}

function figuresOf(lanes: readonly Lane[], workers: Stored<OverviewView>['workers']): readonly Figure[] {
  const { due, delayed, oldestDueMs, running, hour, history } = sumOf(lanes);
  const alive = workers.filter((worker) => worker.alive);
  return [
    {
      name: 'Due',
      value: counted(due),
      about: oldestDueMs === null ? 'none waits' : `the oldest for ${lasting(oldestDueMs)}`,
      to: addressOf('jobs', { status: 'new' }),
    },
    {
      name: 'Running',
      value: number(running),
      about: `${counted(delayed)} delayed`,
      to: addressOf('jobs', { status: 'in-progress' }),
    },
    {
      name: 'Done a minute',
      value: number(history.settled.at(-1) ?? 0),
      about: `${jobsIn(hour.settled)} in the last hour`,
      to: addressOf('history'),
    },
    {
      name: 'Failed in the last hour',
      value: number(hour.failed),
      about:
        hour.settled === 0
          ? 'nothing was done'
          : `${share(hour.failed, hour.settled)} of them, ${number(hour.retried)} retried`,
      to: addressOf('errors'),
      isBad: hour.failed > 0,
    },
    {
      name: 'Workers',
      value: number(alive.length),
      about: hostsOf(alive),
      to: addressOf('workers'),
      isBad: alive.length === 0,
    },
  ];
}

function hostsOf(workers: Stored<OverviewView>['workers']): string {
  const hosts = new Set(workers.map(({ host }) => host)).size;
  if (hosts === 0) return 'none is alive';
  return hosts === 1 ? 'on one host' : `on ${number(hosts)} hosts`;
}
