import { randomUUID } from 'node:crypto';
import { type Driver, DriverError, defineHandler, type RunContext } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { AnyJson, hire, SOON } from '../crew.js';
import { instead } from '../instead.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, gate, within } from '../until.js';

export const recordCommits = theme('record commits', (test) => {
  test('what is known of earlier runs is told when the record is on the disk, or ahead of it; and everybody sees what is seen', async ({
    driver,
    reader,
    put,
    anchor,
  }) => {
    const job = await put();
    const { workerId } = await anchor();
    const start = async (): Promise<unknown> => {
      const told: unknown[] = [];
      let runs: Promise<unknown> = Promise.resolve([{ runId: 'told too early' }]);
      const run = { runId: randomUUID(), workerId, jobs: [job.id] };
      const started = await driver.startRuns([run], {
        written: (earlier) => told.push(earlier),
        seen() {
          told.push('seen');
          runs = reader.runs(job.publicId);
        },
      });
      expect([[], [started], [started, 'seen']]).toContainEqual(told);
      if (told.includes('seen'))
        expect(await runs).toContainEqual(expect.objectContaining({ outcome: null }));
      return started;
    };
    expect(await start()).toEqual([]);
    expect((await reader.runs(job.publicId)).map(({ outcome }) => outcome)).toEqual([null]);
    expect(await start()).toEqual([{ id: job.id, earlierRuns: 1, crashes: 1 }]);
    expect((await reader.runs(job.publicId)).map(({ outcome }) => outcome)).toEqual(['reclaim', null]);
  });

  test('a record that need not come to the disk any more is seen, and its write ends', async ({
    driver,
    reader,
    put,
    anchor,
  }) => {
    const job = await put();
    const { workerId } = await anchor();
    const run = { runId: randomUUID(), workerId, jobs: [job.id] };
    const told = { written() {}, seen() {}, due: Promise.resolve(false) };
    expect(await within('the write', driver.startRuns([run], told))).toEqual([]);
    expect((await reader.runs(job.publicId)).map(({ outcome }) => outcome)).toEqual([null]);
  });

  for (const [title, seen] of [
    ['is being committed, and is settled when it is', false],
    ['is on its way to the disk, and is settled meanwhile', true],
  ] as const) {
    test(`a held run begins while its record ${title}`, async (stage) => {
      const { queue, put } = stage;
      const [ran, commit] = [gate(), gate()];
      const diary: string[] = [];
      const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => ran.open() });
      await put();
      const { worker } = await hire(stage, [handler], {}, (driver) =>
        commitsLate(driver, commit.promise, { seen }),
      );
      const settled = new Promise<void>((resolve) => {
        worker.on('settled', () => {
          diary.push('settled');
          resolve();
        });
      });
      await worker.start();
      await within('the handler', ran.promise);
      if (seen) await within('the settlement', settled);
      diary.push('committed');
      commit.open();
      expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1 }]);
      await worker.stop();
      expect(diary).toEqual(seen ? ['settled', 'committed'] : ['committed', 'settled']);
    });
  }

  for (const [title, group, maxAttempts] of [
    ['of several jobs', true, 5],
    ['that is the last of its job', false, 1],
  ] as const) {
    test(`a run ${title} does not begin before others see its record`, async (stage) => {
      const { queue, key, put, row } = stage;
      const [recorded, commit] = [gate(), gate()];
      const diary: string[] = [];
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        group,
        run: () => void diary.push('run'),
      });
      const jobs = [await put({ key, maxAttempts })];
      if (group) jobs.push(await put({ key, maxAttempts }));
      const { worker } = await hire(stage, [handler], {}, (driver) =>
        commitsLate(driver, commit.promise, { of: jobs.length, told: recorded.open }),
      );
      await worker.start();
      await within('the record', recorded.promise);
      // A round trip of somebody else's: time for one that does not wait.
      for (const job of jobs) expect(await row(job)).toMatchObject({ status: 'new' });
      diary.push('committed');
      commit.open();
      for (const job of await allSettled(stage))
        expect(job).toMatchObject({ status: 'complete', attempt: 1 });
      expect(diary).toEqual(['committed', 'run']);
    });
  }

  for (const [title, batch, jobs] of [
    ['by itself', 1, 1],
    ['in a batch', 2, 3],
  ] as const) {
    for (const [waits, awaited] of [
      ['', true],
      [' and does not wait for', false],
    ] as const) {
      test(`what a handler ${title} writes${waits} comes after its run's record is on the disk`, async <
        Tx,
      >(stage: Stage<Tx>) => {
        const { queue, put, createNotes } = stage;
        const notes = await createNotes();
        const [asked, flush] = [gate(), gate()];
        const diary: string[] = [];
        const handler = defineHandler({
          kind: 'work',
          queue,
          payload: AnyJson,
          batch,
          async run({ job, tx }: RunContext<unknown, Tx>) {
            if (job.payload !== 'late') return;
            const writing = notes.write(tx, 'written').then(() => diary.push('written'));
            asked.open();
            if (awaited) await writing;
          },
        });
        // A batch begins with one job, and then takes two.
        for (let job = 1; job <= jobs; job++) await put({ payload: job === jobs ? 'late' : 'soon' });
        const { worker } = await hire(stage, [handler], { concurrency: 1 }, (driver) =>
          commitsLate(driver, flush.promise, { of: batch, seen: true }),
        );
        await worker.start();
        await within('the handler', asked.promise);
        // Round trips of somebody else's: time for one that does not wait.
        for (let trip = 0; trip < 3; trip++) await notes.all();
        diary.push('flushed');
        flush.open();
        for (const job of await allSettled(stage))
          expect(job).toMatchObject({ status: 'complete', attempt: 1 });
        expect(diary).toEqual(['flushed', 'written']);
        expect(await notes.all()).toEqual(['written']);
      });
    }
  }

  test('where a record has not come to the disk, the next run waits for its own', async (stage) => {
    const { queue, put, row } = stage;
    const [failed, recorded, commit] = [gate<Promise<never>>(), gate(), gate()];
    const diary: string[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      retry: SOON,
      async run({ signal }) {
        diary.push('run');
        if (diary.length === 1) await aborted(signal);
      },
    });
    const job = await put();
    let records = 0;
    const { worker } = await hire(stage, [handler], { concurrency: 1 }, (driver) =>
      instead(driver, {
        async startRuns(runs, telling) {
          records += 1;
          if (records === 1) {
            telling?.written([]);
            return failed.promise;
          }
          telling?.written([]);
          recorded.open();
          await commit.promise;
          return driver.startRuns(runs);
        },
      }),
    );
    const running = new Promise<void>((resolve) => worker.on('run', () => resolve()));
    await worker.start();
    await within('the first run', running);
    failed.open(Promise.reject(new DriverError('ConnectionLost', 'The connection was cut.')));
    await within('the second record', recorded.promise);
    expect(await row(job)).toMatchObject({ status: 'new' });
    diary.push('committed');
    commit.open();
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1 }]);
    expect(diary).toEqual(['run', 'committed', 'run']);
  });

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

  for (const [waits, awaited] of [
    ['', true],
    [' and does not wait for', false],
  ] as const) {
    test(`a lease is settled though its record has not come to the disk, and what its handler writes${waits} is not done`, async <
      Tx,
    >(stage: Stage<Tx>) => {
      const { queue, reader, put, createNotes } = stage;
      const notes = await createNotes();
      const [asked, flush] = [gate(), gate<Promise<never>>()];
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        claim: 'lease',
        retry: SOON,
        async run({ job, tx }: RunContext<unknown, Tx>) {
          const writing = notes.write(tx, `attempt ${job.attempt}`);
          writing.catch(() => {});
          asked.open();
          if (awaited || job.attempt > 1) await writing;
        },
      });
      const job = await put();
      const { worker } = await hire(stage, [handler], {}, (driver) =>
        commitsLate(driver, flush.promise, { seen: true }),
      );
      await worker.start();
      await within('the handler', asked.promise);
      flush.open(Promise.reject(new DriverError('ConnectionLost', 'The connection was cut.')));
      expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 2, crashes: 0 }]);
      expect((await reader.runs(job.publicId)).map(({ outcome }) => outcome)).toEqual(['retry', 'complete']);
      expect(await notes.all()).toEqual(['attempt 2']);
    });
  }

  for (const [title, options, jobs] of [
    ['a held run', {}, 1],
    ['a lease', { claim: 'lease' }, 1],
    ['a batch', { batch: 2 }, 3],
  ] as const) {
    test(`${title} whose record is written, but the answer lost, has not begun: no crash is counted`, async (stage) => {
      const { queue, put, reader } = stage;
      const ran: string[] = [];
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        ...options,
        run: ({ job }) => void ran.push(job.publicId),
      });
      // A batch begins with one job, and then takes two.
      const rows = await Promise.all(Array.from({ length: jobs }, () => put({ maxAttempts: 1 })));
      const lost: string[] = [];
      const { worker } = await hire(stage, [handler], { concurrency: 1 }, (driver) =>
        answersLost(driver, Math.min(jobs, 2)),
      );
      worker.on('lost', (run) => lost.push(...run.jobs));
      await worker.start();
      for (const job of await allSettled(stage))
        expect(job).toMatchObject({ status: 'complete', attempt: 1, crashes: 0 });
      await worker.stop();
      expect(ran.toSorted()).toEqual(rows.map(({ publicId }) => publicId).toSorted());
      expect(lost).toHaveLength(Math.min(jobs, 2));
      const outcomes = (await reader.runs(lost[0] ?? '')).map(({ outcome }) => outcome);
      expect(outcomes).toEqual(['release', 'complete']);
    });
  }

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
      commitsLate(driver, commit.promise, { told: recorded.open }),
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

/** The driver, except that the answer is lost to its first record of so many jobs. */
function answersLost<Tx>(driver: Driver<Tx>, of: number): Driver<Tx> {
  let isOver = false;
  return instead(driver, {
    async startRuns(runs, telling) {
      if (isOver || runs.flatMap(({ jobs }) => jobs).length !== of) return driver.startRuns(runs, telling);
      isOver = true;
      await driver.startRuns(runs);
      throw new DriverError('ConnectionLost', 'The cable was pulled.');
    },
  });
}

interface Late {
  /** How many jobs the record is of. Default 1. */
  readonly of?: number;
  /** Whether it is committed, and seen by everybody, before, and comes to the disk late. */
  readonly seen?: boolean;
  /** Called when it has been told. */
  readonly told?: () => void;
}

/** The driver, except that its first record of so many jobs, which had no runs, is told at once, and committed when `commit` resolves. */
function commitsLate<Tx>(
  driver: Driver<Tx>,
  commit: Promise<unknown>,
  { of = 1, seen = false, told = () => {} }: Late = {},
): Driver<Tx> {
  let isOver = false;
  return instead(driver, {
    async startRuns(runs, telling) {
      if (isOver || runs.flatMap(({ jobs }) => jobs).length !== of) return driver.startRuns(runs, telling);
      isOver = true;
      if (seen) await driver.startRuns(runs);
      telling?.written([]);
      if (seen) telling?.seen();
      told();
      await commit;
      return seen ? [] : driver.startRuns(runs);
    },
  });
}
