import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock, defineHandler, isDriverError, type RunContext } from '@rowlock/core';
import { describe, expect, test } from 'vitest';
import type { DriverUnderTest } from './describe-driver.js';
import type { DriverHarness, RunRow, TestDatabase } from './driver-harness.js';
import { noLeaks } from './no-leaks.js';
import { type OnRefusal, reportsRefusals } from './refusals.js';
import { RunLog } from './run-log.js';
import { endProcess } from './stage.js';
import { AnyJson } from './worker-process.js';

const QUEUE = 'contended';
const KEYS = 200;
const HOLD_MS = 50;

/** How many questions the reader is asked at once. */
const AT_ONCE = 20;

/** A net: some ten seconds are usual. */
const TEST_MS = 300_000;

/**
 * A load under which a driver's own locks would meet, if they could. A driver's own test file calls this once.
 *
 * Read from the environment: `CONTENTION_JOBS`, how many jobs are enqueued. Default: 2000.
 */
export function describeContention<Tx>({ name, open }: DriverUnderTest<Tx>): void {
  const jobs = Number(process.env.CONTENTION_JOBS ?? 2_000);
  describe(name, () => {
    test(
      'ten slots of two drivers and a producer that never pauses: no deadlock is met, nothing is lost or doubled',
      async () => {
        const harness: DriverHarness<Tx> = await open();
        const database = await harness.database();
        try {
          await contend(database, jobs);
          await noLeaks(database);
        } finally {
          await database.close();
          await harness.close();
        }
      },
      TEST_MS,
    );
  });
}

async function contend<Tx>(database: TestDatabase<Tx>, count: number): Promise<void> {
  const { reader } = database;
  // Of one key there is one run at a time, whichever process has it.
  const runLog = new RunLog();
  const handler = defineHandler({
    kind: 'work',
    queue: QUEUE,
    payload: AnyJson,
    group: true,
    async run({ key, jobs, tx }: RunContext<unknown, Tx>) {
      runLog.begin(key, jobs);
      for (const { publicId } of jobs) await database.run(tx, `INSERT INTO effect VALUES ('${publicId}')`);
      await sleep(HOLD_MS);
      runLog.end(key);
    },
  });
  // They share nothing, as processes do.
  const processes = [await database.process(), await database.process(), await database.process()] as const;
  // To a worker a deadlock of a claim is a key that somebody else has, and it says nothing.
  const deadlocks: string[] = [];
  const onRefusal: OnRefusal = (verb, error) => {
    if (isDriverError(error, 'Deadlock')) deadlocks.push(verb);
  };
  const [producer, ...clients] = processes.map(({ driver }) =>
    createRowlock({ driver: reportsRefusals(driver, onRefusal), handlers: [handler] }),
  );
  if (producer === undefined) throw new Error('There is no producer.');
  const workers = clients.map((rowlock) => rowlock.worker({ concurrency: 5 }));
  const troubles: unknown[] = [];
  try {
    await producer.migrate();
    await reader.exec('CREATE TABLE effect (job VARCHAR(40))');
    for (const worker of workers) {
      worker.on('fault', (error) => troubles.push(error));
      worker.on('lost', (_, error) => troubles.push(error));
      await worker.start();
    }
    const enqueued: string[] = [];
    for (let place = 0; place < count; place++) {
      const key = `key-${(place * 7) % KEYS}`;
      enqueued.push((await producer.enqueue(handler, { key, payload: place })).publicId);
    }
    for (let left = count; left > 0; await sleep(50)) {
      left = (await producer.jobs.count({ queue: QUEUE, status: ['new', 'in-progress'] })).count;
      expect(await producer.jobs.count({ queue: QUEUE, status: 'error' })).toEqual({ count: 0, more: false });
    }
    const effects = await reader.exec('SELECT job FROM effect');
    expect(effects.map(({ job }) => String(job)).toSorted()).toEqual(enqueued.toSorted());
    const jobs = await reader.jobs(QUEUE);
    expect(jobs.map(({ publicId }) => publicId)).toEqual(enqueued);
    expect(distinct(jobs, ({ status, attempt, crashes }) => `${status}, ${attempt}, ${crashes}`)).toEqual([
      'complete, 1, 0',
    ]);
    const runs = await runsOf(database, enqueued);
    expect(runs).toHaveLength(count);
    expect(distinct(runs, ({ outcome }) => String(outcome))).toEqual(['complete']);
    expect(troubles).toEqual([]);
    expect(deadlocks).toEqual([]);
    expect(runLog.overlaps).toEqual([]);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop({ drain: 0 })));
    await Promise.all([producer, ...clients].map((rowlock) => rowlock.jobs.flush()));
    await Promise.all(processes.map(endProcess));
  }
}

/** The records of all runs of these jobs. */
async function runsOf<Tx>(
  { reader }: TestDatabase<Tx>,
  publicIds: readonly string[],
): Promise<readonly RunRow[]> {
  const runs: RunRow[] = [];
  for (let from = 0; from < publicIds.length; from += AT_ONCE) {
    const some = publicIds.slice(from, from + AT_ONCE);
    runs.push(...(await Promise.all(some.map((publicId) => reader.runs(publicId)))).flat());
  }
  return runs;
}

function distinct<Row>(rows: readonly Row[], name: (row: Row) => string): readonly string[] {
  return [...new Set(rows.map(name))];
}
