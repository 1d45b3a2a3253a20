import type { Stored } from '@rowlock/core';
import type { OverviewView } from '../../src/views.js';
import { useAnswer } from '../frame/use-answer.js';

export interface Queues {
  /** Those that have jobs or workers, in the order of their names. */
  readonly names: readonly string[];
  /** The one where most jobs run, are due, or were settled within the hour. Undefined while it is not known. */
  readonly busiest: string | undefined;
  readonly kinds: readonly string[];
  readonly isKnown: boolean;
}

/** The queues and kinds at the time when the screen was opened. */
export function useQueues(): Queues {
  const { answer } = useAnswer<Stored<OverviewView>>('overview', 0);
  const lanes = answer?.lanes ?? [];
  const served = (answer?.workers ?? []).flatMap(({ alive, queues }) => (alive ? queues : []));
  const load = new Map(served.map((queue) => [queue, 0]));
  for (const { queue, running, due, hour } of lanes)
    load.set(queue, (load.get(queue) ?? 0) + running + due.count + hour.settled);
  const [busiest] = [...load].toSorted(([, one], [, other]) => other - one);
  return {
    names: [...load.keys()].toSorted(),
    busiest: busiest?.[0],
    kinds: [...new Set(lanes.map(({ kind }) => kind))].toSorted(),
    isKnown: answer !== undefined,
  };
}
