import { setImmediate as turn } from 'node:timers/promises';
import { createRowlock, type Tick } from '@rowlock/core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineHandler, memory, memoryDatabase } from '../src/index.js';

const MINUTE_MS = 60_000;
const HALF_HOUR_MS = 30 * MINUTE_MS;
const LOG = { debug() {}, info() {}, warn() {}, error() {} };

/** What the schedules enqueue has no worker: it stays as it is. */
const Archive = { kind: 'archive', queue: 'archive', payload: z.string() };
const Other = defineHandler({ kind: 'other', queue: 'other', payload: z.null(), run: () => {} });

const all = { missed: { all: { max: 1_000 } }, overlap: 'allow', timeZone: 'Europe/Berlin' } as const;
const SCHEDULES = {
  halves: { handler: Archive, payload: 'halves', cron: '*/30 * * * *', ...all },
  nights: { handler: Archive, payload: 'nights', cron: '30 2 * * *', ...all },
};

/** Numbers below 1, the same each time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

test('over a year, with processes that are killed and started at random, each tick comes once and none is missing', async () => {
  const database = memoryDatabase();
  const { clock } = database;
  clock.freeze();
  // A year that begins in winter has a night for each of 365 days. One that begins next to a change of the clocks may not.
  clock.advance(Date.UTC(new Date().getUTCFullYear() + 2, 0) - clock.now() + 1_000);
  const next = random(29);
  const rowlock = createRowlock({ driver: memory({ database }), log: LOG });
  await rowlock.migrate();
  const living: (() => void)[] = [];
  const start = async (): Promise<void> => {
    const driver = memory({ database });
    const worker = createRowlock({ driver, handlers: [Other], schedules: SCHEDULES, log: LOG }).worker();
    await worker.start();
    living.push(() => {
      driver.kill();
      // A process that was killed goes no further.
      void worker.stop({ drain: 0 }).catch(() => {});
    });
  };
  for (let process = 0; process < 5; process++) await start();

  const begun = clock.now();
  const end = begun + 365 * 48 * HALF_HOUR_MS;
  while (clock.now() < end) {
    clock.advance(Math.min(end - clock.now(), Math.ceil(next() * 72 * 60) * MINUTE_MS));
    for (let turns = next() * 30; turns > 0; turns--) await Promise.resolve();
    for (const kill of living.splice(Math.floor(next() * living.length), 1)) kill();
    if (living.length === 0 || (living.length < 5 && next() < 0.8)) await start();
    const isPast = async (): Promise<boolean> =>
      (await rowlock.schedules.list()).every(({ nextAt }) => (nextAt?.getTime() ?? 0) > clock.now());
    while (!(await isPast())) await turn();
  }
  for (const kill of living) kill();

  const times: Record<string, number[]> = { halves: [], nights: [] };
  let cursor: string | null = null;
  do {
    const page = await rowlock.jobs.list({ limit: 1_000, cursor });
    for (const { metadata } of page.jobs) {
      const { tick } = Object(metadata.rowlock);
      const { schedule, scheduledFor }: Tick = tick;
      times[schedule]?.unshift(new Date(scheduledFor).getTime());
    }
    cursor = page.cursor;
  } while (cursor !== null);
  const first = begun - 1_000 + HALF_HOUR_MS;
  expect(times.halves).toEqual(Array.from({ length: 365 * 48 }, (_, place) => first + place * HALF_HOUR_MS));
  const days = times.nights?.map((at) =>
    new Date(at).toLocaleDateString('en', { timeZone: 'Europe/Berlin' }),
  );
  expect(days).toHaveLength(365);
  expect(new Set(days).size).toBe(365);
  await rowlock.close();
});
