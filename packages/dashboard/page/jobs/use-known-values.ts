import type { Stored } from '@rowlock/core';
import type { JobRow, OverviewView } from '../../src/views.js';
import { useAnswer } from '../frame/use-answer.js';

/** What the fields of a filter may be filled with: the queues and kinds that have work, and what the jobs on the page have. */
export function useKnownValues(jobs: readonly Stored<JobRow>[]): Readonly<Record<string, readonly string[]>> {
  const { answer } = useAnswer<Stored<OverviewView>>('overview', 0);
  const lanes = answer?.lanes ?? [];
  return {
    queue: several([...lanes, ...jobs].map(({ queue }) => queue)),
    kind: several([...lanes, ...jobs].map(({ kind }) => kind)),
    'error-code': several(jobs.flatMap(({ error }) => error?.code ?? [])),
  };
}

function several(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted();
}
