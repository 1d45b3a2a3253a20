import { expect, test } from 'vitest';
import type { Result } from '../src/cell.js';
import { failures } from '../src/limits.js';
import { table } from '../src/table.js';

const clean: Result = {
  ...{ fault: 'kill -9', database: 'postgres', mode: 'hold', jobs: 120, runs: 100, shared: 1 },
  ...{ violations: [], recoveriesMs: [100, 200, 300], history: null },
};

test('a line for each result, with a column for what must be zero', () => {
  const guilty: Result = {
    ...clean,
    violations: [
      { what: 'lost', text: 'job a' },
      { what: 'zombie', text: 'run b' },
    ],
    recoveriesMs: [],
  };
  const lines = table([clean, guilty])
    .split('\n')
    .map((line) => line.trim().split(/\s{2,}/));
  expect(lines).toEqual([
    [
      'fault',
      'database',
      'mode',
      'jobs',
      'lost',
      'doubled',
      'overlaps',
      'other',
      'recoveries',
      'p50 ms',
      'p95 ms',
    ],
    ['kill -9', 'postgres', 'hold', '120', '0', '0', '0', '0', '3', '200', '300'],
    ['kill -9', 'postgres', 'hold', '120', '1', '0', '0', '1', '0', '-', '-'],
  ]);
});

test('what is wrong is printed: violations, where the history is, and recoveries that took too long', () => {
  expect(failures([clean])).toEqual([]);
  const wrong: Result = {
    ...clean,
    violations: [{ what: 'lost', text: 'job a' }],
    recoveriesMs: [600],
    history: '/tmp/history',
  };
  expect(failures([wrong])).toEqual([
    'kill -9 on postgres, hold: lost: job a',
    'kill -9 on postgres, hold: the history is in /tmp/history',
    'kill -9 on postgres, hold: recovery took 600 ms (p95), more than 500',
  ]);
  expect(failures([{ ...clean, fault: 'poison', recoveriesMs: [60_000] }])).toEqual([]);
});

test('what proves nothing is printed: a limit of recovery that nothing was measured for, and no jobs at all', () => {
  expect(failures([{ ...clean, recoveriesMs: [] }])).toEqual([
    'kill -9 on postgres, hold: nothing was interrupted, so no recovery was measured',
  ]);
  expect(failures([{ ...clean, fault: 'poison', recoveriesMs: [] }])).toEqual([]);
  expect(failures([{ ...clean, fault: 'mixed', jobs: 0 }])).toEqual([
    'mixed on postgres, hold: there were no jobs, so nothing is proved',
  ]);
});
