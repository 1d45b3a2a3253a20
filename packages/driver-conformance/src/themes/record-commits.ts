import { randomUUID } from 'node:crypto';
import { type Driver, DriverError, defineHandler, type RunContext } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { AnyJson, hire, SOON } from '../crew.js';
import { instead } from '../instead.js';
import { scratchTable } from '../scratch-table.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, gate, within } from '../until.js';

export const recordCommits = theme('record commits', (test) => {
  test('what is known of earlier runs is told with the commit, or ahead of it', async ({
    driver,
    reader,
    put,
    anchor,
  }) => {
    const job = await put();
    const { workerId } = await anchor();
    const start = async (): Promise<unknown> => {
      const told: unknown[] = [];
      const run = { processId: randomUUID(), workerId, jobs: [job.id] };
      const started = await driver.startRuns([run], (earlier) => told.push(earlier));
      expect([[], [started]]).toContainEqual(told);
      return started;
    };
    expect(await start()).toEqual([]);
    expect((await reader.runs(job.publicId)).map(({ outcome }) => outcome)).toEqual([null]);
    expect(await start()).toEqual([{ id: job.id, earlierRuns: 1, crashes: 1 }]);
    expect((await reader.runs(job.publicId)).map(({ outcome }) => outcome)).toEqual(['reclaim', null]);
  });

  test('a held run begins while its record is being committed, and is settled when it is', async (stage) => {
    const { queue, put, row } = stage;
    const [ran, commit] = [gate(), gate()];
    const diary: string[] = [];
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => ran.open() });
    const job = await put();
    const { worker } = await hire(stage, [handler], {}, (driver) => commitsLate(driver, commit.promise));
    worker.on('settled', () => diary.push('settled'));
    await worker.start();
    await within('the handler', ran.promise);
    expect(await row(job)).toMatchObject({ status: 'new' });
    diary.push('committed');
    commit.open();
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1 }]);
    await worker.stop();
    expect(diary).toEqual(['committed', 'settled']);
  });

  for (const [title, batch] of [
    ['by itself', 1],
    ['in a batch', 2],
  ] as const) {
    test(`what a handler ${title} writes waits for the commit of its run's record`, async <
      Tx,
    >(stage: Stage<Tx>) => {
      const { database, queue, reader, defer, put } = stage;
      const table = await scratchTable(reader, queue, defer);
      const [asked, commit] = [gate(), gate()];
      const diary: string[] = [];
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        batch,
        async run({ tx }: RunContext<unknown, Tx>) {
          const writing = database.run(tx, `INSERT INTO ${table} VALUES ('written')`);
          asked.open();
          await writing;
          diary.push('written');
        },
      });
      await put();
      const { worker } = await hire(stage, [handler], {}, (driver) => commitsLate(driver, commit.promise));
      await worker.start();
      await within('the handler', asked.promise);
      // A round trip of somebody else's: time for one that does not wait.
      expect(await reader.exec(`SELECT note FROM ${table}`)).toEqual([]);
      diary.push('committed');
      commit.open();
      expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1 }]);
      expect(diary).toEqual(['committed', 'written']);
      expect(await reader.exec(`SELECT note FROM ${table}`)).toEqual([{ note: 'written' }]);
    });
  }

  test('a run whose record is not committed is told to stop, and settles nothing', async (stage) => {
    const { queue, reader, put } = stage;
    const [running, commit] = [gate(), gate<Promise<never>>()];
    const reasons: unknown[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      retry: SOON,
      async run({ signal }) {
        if (reasons.length > 0) return;
        running.open();
        reasons.push(await aborted(signal));
      },
    });
    const job = await put();
    const { worker } = await hire(stage, [handler], { concurrency: 1 }, (driver) =>
      commitsLate(driver, commit.promise),
    );
    const lost = new Promise<unknown>((resolve) => worker.on('lost', (_, error) => resolve(error)));
    await worker.start();
    await within('the handler', running.promise);
    commit.open(Promise.reject(new DriverError('ConnectionLost', 'The connection was cut.')));
    expect(await within('the loss', lost)).toMatchObject({
      code: expect.stringMatching(/ConnectionLost|CLAIM_LOST/),
    });
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1, crashes: 0 }]);
    expect(reasons).toMatchObject([{ code: 'ROWLOCK_CLAIM_LOST' }]);
    expect((await reader.runs(job.publicId)).map(({ outcome }) => outcome)).toEqual(['complete']);
  });

  test('a lease is taken, and its run begins, when its record is committed', async (stage) => {
    const { queue, put, row } = stage;
    const [recorded, commit] = [gate(), gate()];
    const diary: string[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      claim: 'lease',
      run: () => void diary.push('run'),
    });
    const job = await put();
    const { worker } = await hire(stage, [handler], {}, (driver) =>
      commitsLate(driver, commit.promise, recorded.open),
    );
    await worker.start();
    await within('the record', recorded.promise);
    expect(await row(job)).toMatchObject({ status: 'new' });
    diary.push('committed');
    commit.open();
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1 }]);
    expect(diary).toEqual(['committed', 'run']);
  });
});

/** The driver, except that its first record, of jobs without runs, is told at once and committed when `commit` resolves. */
function commitsLate<Tx>(driver: Driver<Tx>, commit: Promise<unknown>, told = (): void => {}): Driver<Tx> {
  let first = true;
  return instead(driver, {
    async startRuns(runs, written) {
      if (!first) return driver.startRuns(runs, written);
      first = false;
      written?.([]);
      told();
      await commit;
      return driver.startRuns(runs);
    },
  });
}
