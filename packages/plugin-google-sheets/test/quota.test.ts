import { createRowlock } from '@rowlock/core';
import { memory, memoryDatabase } from '@rowlock/driver-memory';
import { afterEach, expect, test } from 'vitest';
import { CreateSpreadsheet, googleSheets, SHEETS_LIMIT, UpdateSpreadsheet } from '../src/index.js';
import { emulated } from './emulated.js';

const MINUTE_MS = 60_000;
/** Sheets reads, and Sheets writes, of one user in a minute: the emulator's default and Google's. */
const QUOTA = 60;
const SPREADSHEETS = 500;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/**
 * Four workers. The database and the emulator have one clock, which stands still until `minutes` moves it: what is
 * counted depends on the rate alone, and not on this machine.
 */
async function started() {
  const database = memoryDatabase();
  const { clock } = database;
  clock.freeze();
  const { emulator, spreadsheets } = await emulated({ now: () => clock.now() });
  const links = new Map<string, string>();
  const plugin = googleSheets({
    spreadsheets,
    sendBackUrl: (key) => `https://app.example/${key}/send-back`,
    onCreated: ({ key, spreadsheetId }) => void links.set(key, spreadsheetId),
    resolve: (key) => links.get(key),
    onRows: () => {},
  });
  const driver = memory({ database });
  const rowlock = createRowlock({ driver, plugins: [plugin] });
  await rowlock.migrate();
  closing.push(() => rowlock.close());

  const endings: string[] = [];
  let onSettled = () => {};
  for (const name of ['a', 'b', 'c', 'd']) {
    const worker = rowlock.worker({ name }).on('settled', (_, ended) => {
      endings.push(...ended.values());
      onSettled();
    });
    await worker.start();
    closing.push(() => worker.stop());
  }

  async function settled(jobs: number): Promise<void> {
    while (endings.length < jobs) {
      await new Promise<void>((resolve) => {
        onSettled = resolve;
      });
    }
  }
  /** Lets all jobs run. The clock moves by the time of as many starts as a burst has: these are then at once. */
  async function ended(jobs: number): Promise<readonly string[]> {
    const { name, starts, burst } = SHEETS_LIMIT;
    for (let started = burst; started < jobs; started += burst) {
      await settled(started);
      clock.advance(Math.ceil((burst * MINUTE_MS) / starts));
      // The workers' own clocks go on: without this they would look again only after the real pause.
      await driver.workers.notify([{ limit: name }]);
    }
    await settled(jobs);
    return endings;
  }
  return { rowlock, emulator, ended };
}

type Emulator = Awaited<ReturnType<typeof started>>['emulator'];

/** Sheets calls of each minute of the emulator's quotas, without the first and the last one, which are not whole. */
function callsInMinutes(emulator: Emulator, path: RegExp): number[] {
  const calls = emulator.calls().filter((call) => call.api === 'sheets' && path.test(call.path));
  const minutes = Map.groupBy(calls, ({ at }) => Math.floor(at / MINUTE_MS));
  return [...minutes.values()].map(({ length }) => length).slice(1, -1);
}

const refused = (emulator: Emulator) => emulator.calls().filter(({ status }) => status !== 200);
const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
const keys = Array.from({ length: SPREADSHEETS }, (_, index) => `k${index}`);
const payload = { title: 'Plan', columns: ['Item'], rows: [['Rope']] };

// A net for what hangs, as in the other projects.
const TIMEOUT_MS = 120_000;

test('with 4 workers and 500 spreadsheets Google never refuses by quota, and 90 % of the quota is used', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { rowlock, emulator, ended } = await started();
  await rowlock.enqueueMany(
    CreateSpreadsheet,
    keys.map((key) => ({ key, payload })),
  );
  expect(await ended(SPREADSHEETS)).toEqual(keys.map(() => 'complete'));

  expect(refused(emulator)).toEqual([]);
  const writes = callsInMinutes(emulator, /:batchUpdate/);
  expect(writes.length).toBeGreaterThanOrEqual(7);
  expect(sum(writes)).toBeGreaterThanOrEqual(0.9 * QUOTA * writes.length);
});

test('creations and updates share the quota', { timeout: TIMEOUT_MS }, async () => {
  const { rowlock, emulator, ended } = await started();
  const some = keys.slice(0, 60);
  await rowlock.enqueueMany(
    CreateSpreadsheet,
    some.map((key) => ({ key, payload })),
  );
  await rowlock.enqueueMany(
    UpdateSpreadsheet,
    some.map((key) => ({ key, payload: {} })),
  );
  expect(await ended(2 * some.length)).toEqual([...some, ...some].map(() => 'complete'));
  expect(refused(emulator)).toEqual([]);
  const writes = callsInMinutes(emulator, /:batchUpdate/);
  expect(writes.length).toBeGreaterThanOrEqual(1);
  expect(sum(writes)).toBeGreaterThanOrEqual(0.9 * QUOTA * writes.length);
});
