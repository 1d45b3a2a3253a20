import { expect, test } from 'vitest';
import { beforePaused, wakeUpFor } from './pause.js';

const job = (key: string, kind: string, status: 'new' | 'in-progress' = 'new') => ({ key, kind, status });
const isPaused = ({ kind }: { kind: string }): boolean => kind === 'paused';

test('of each key the first paused job and those after it are left out', () => {
  const [a, b] = [job('a', 'work'), job('b', 'work')];
  const jobs = [
    a,
    job('a', 'paused'),
    job('a', 'work'),
    job('b', 'work'),
    b,
    job('c', 'paused'),
    job('c', 'work'),
  ];
  expect(beforePaused(jobs, isPaused)).toEqual([a, b, b]);
});

test('a job in progress stays, and ends nothing', () => {
  const jobs = [job('a', 'paused', 'in-progress'), job('a', 'work'), job('a', 'paused')];
  expect(beforePaused(jobs, isPaused)).toEqual(jobs.slice(0, 2));
});

test('a pause of a queue wakes its workers, and any other all of them', () => {
  expect(wakeUpFor({ scope: 'queue', name: 'mail' })).toEqual({ queue: 'mail' });
  for (const scope of ['kind', 'limit', 'all'] as const)
    expect(wakeUpFor({ scope, name: 'mail' })).toEqual({});
});
