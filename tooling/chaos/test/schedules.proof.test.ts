import { expect, test } from 'vitest';
import { readOptions } from '../src/options.js';
import type { BrokenFiring } from '../src/schedules/broken-firing.js';
import type { TickViolation } from '../src/schedules/check-ticks.js';
import { failures } from '../src/schedules/report.js';
import { fireOn, runSchedules } from '../src/schedules/run-schedules.js';
import { withSystem } from '../src/systems.js';

// A net: on a busy machine ten processes take long to start.
const TIMEOUT_MS = 900_000;

/** How often a broken driver may get away with it: a kill must come at its moment. */
const TRIES = 3;

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
    await withSystem('postgres', async (system) => {
      const server = await system.startServer();
      try {
        let guilt: TickViolation['what'][] = [];
        for (let seed = 1; seed <= TRIES && guilt.length === 0; seed += 1) {
          const options = { seed, workers: 5, minutes: 0.2, broken, stopping: NEVER };
          const { violations } = await fireOn(system, server, options);
          guilt = violations.map(({ what }) => what);
        }
        expect([...new Set(guilt)]).toEqual([found]);
      } finally {
        await server.stop();
      }
    });
  },
  TIMEOUT_MS,
);
