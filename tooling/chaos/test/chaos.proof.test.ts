import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Break } from '../src/broken-driver.js';
import { runCell } from '../src/cell.js';
import type { Fault } from '../src/fault.js';
import type { Violation } from '../src/history/violation.js';
import type { Mode } from '../src/mode.js';
import { readOptions } from '../src/options.js';
import { runMixed } from '../src/run-mixed.js';
import type { DatabaseName } from '../src/system.js';
import { withSystem } from '../src/systems.js';

// A net: on a busy machine many processes take long to start.
const NET = { timeout: 900_000 };

/** How often a broken driver may get away with it: on a slow machine few jobs meet. */
const TRIES = 5;

const NEVER = new AbortController().signal;

test('some faults on both databases in all modes: nothing lost, nothing twice, no overlap', NET, async () => {
  const faults = ['kill -9', 'cut in COMMIT', 'ended sessions', 'server restart'];
  const chosen = faults.flatMap((fault) => ['--fault', fault]);
  const lines: string[] = [];
  const options = readOptions(['--mixed', '--minutes', '0.35', '--seed', '4', ...chosen]);
  const results = await runMixed(options, NEVER, (line) => lines.push(line));
  for (const fault of faults) expect(lines.join('\n')).toContain(fault);
  expect(results.map(({ database, mode }) => `${database} ${mode}`)).toEqual([
    'postgres hold',
    'postgres lease',
    'postgres batch',
    'mysql hold',
    'mysql lease',
    'mysql batch',
  ]);
  for (const { mode, jobs, violations, shared } of results) {
    expect(violations).toEqual([]);
    expect(shared > 1, mode).toBe(mode === 'batch');
    expect(jobs).toBeGreaterThan(0);
  }
});

test.concurrent.each<[Break, DatabaseName, Mode, [number, number], Violation['what']]>([
  ['gives-back-early', 'postgres', 'hold', [100, 300], 'overlap'],
  ['works-without-session', 'mysql', 'lease', [1_000, 2_500], 'overlap'],
  ['admits-one-more', 'postgres', 'hold', [300, 600], 'limit'],
])('a driver that %s is found out on %s', NET, async (broken, database, mode, workMs, found) => {
  const calm: Fault = {
    ...{ name: 'calm', needs: [], at: 'always', seconds: 6 },
    begin: async () => async () => {},
  };
  const shared = { modes: [mode], workers: 3, seconds: 6, broken, workMs, drainMs: 0, resizes: false };
  await withSystem(database, async (system) => {
    const server = await system.startServer();
    try {
      let guilt = new Set<Violation['what']>();
      for (let seed = 1; seed <= TRIES && !guilt.has(found); seed += 1) {
        const results = await runCell(system, server, calm, { ...shared, seed, stopping: NEVER });
        for (const { history } of results) if (history) rmSync(history, { recursive: true });
        guilt = new Set(results.flatMap(({ violations }) => violations.map(({ what }) => what)));
      }
      expect([...guilt]).toContain(found);
    } finally {
      await server.stop();
    }
  });
});
