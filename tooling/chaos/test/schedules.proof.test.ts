import { expect, test } from 'vitest';
import { readOptions } from '../src/options.js';
import type { BrokenFiring } from '../src/schedules/broken-firing.js';
import type { TickViolation } from '../src/schedules/check-ticks.js';
import { failures } from '../src/schedules/report.js';
import { fireOn, runSchedules } from '../src/schedules/run-schedules.js';
import { withSystem } from '../src/systems.js';

// A net: on a busy machine ten processes take long to start.
const TIMEOUT_MS = 400_000;

const NEVER = new AbortController().signal;

test(
  'five processes on both databases, killed and started at random: each tick once',
  async () => {
    const options = readOptions(['--schedules', '--minutes', '0.1', '--seed', '3']);
    const results = await runSchedules(options, NEVER, () => {});
    expect(failures(results)).toEqual([]);
    expect(results).toMatchObject([
      { database: 'postgres', days: 4, violations: [], deaths: [] },
      { database: 'mysql', days: 4, violations: [], deaths: [] },
    ]);
  },
  TIMEOUT_MS,
);

test.each<[BrokenFiring, TickViolation['what']]>([
  ['moves-first', 'missing'],
  ['enqueues-first', 'doubled'],
])(
  'a driver that %s is found out: ticks are %s',
  async (broken, found) => {
    const { violations } = await withSystem('postgres', async (system) => {
      const server = await system.startServer();
      try {
        return await fireOn(system, server, { seed: 1, workers: 5, minutes: 0.2, broken, stopping: NEVER });
      } finally {
        await server.stop();
      }
    });
    expect([...new Set(violations.map(({ what }) => what))]).toEqual([found]);
  },
  TIMEOUT_MS,
);
