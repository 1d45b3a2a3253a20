import { type Clock, type Driver, defineHandler, type RunContext } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { instead } from '../instead.js';
import { moveOne } from '../move-one.js';
import { slowClock } from '../slow-clock.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import {
  AnyJson,
  clientOf,
  openWorker,
  startWorker,
  type WorkerProcess,
  type WorkerProcessOptions,
} from '../worker-process.js';

/** So rarely that nothing comes of it in a test. */
const NEVER = '1h';

export const cancel = theme('cancel', (test) => {
  test('a job that waits behind another of its key ends as cancelled, and its handler is not called', async (stage) => {
    const { key, queue, putMany, reader } = stage;
    const [running, finish] = [gate(), gate()];
    const called: unknown[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run({ job }) {
        called.push(job.payload);
        running.open();
        await finish.promise;
      },
    });
    const [, second] = await putMany([
      { key, payload: 1 },
      { key, payload: 2 },
      { key, payload: 3 },
    ]);
    // It claims the next one as soon as the first has ended, and asks about none before.
    const { heard } = await listening(stage, [handler], { concurrency: 1, watchInterval: NEVER });
    await within('the handler', running.promise);
    expect(await clientOf(stage, [handler]).cancel(second?.publicId ?? '')).toBe('signalled');
    await within('the worker hears of it', heard);
    finish.open();
    const rows = await allSettled(stage);
    expect(rows.map(({ status }) => status)).toEqual(['complete', 'cancelled', 'complete']);
    expect(rows[1]).toMatchObject({ attempt: 0, error: { code: 'ROWLOCK_CANCELLED' } });
    expect(called).toEqual([1, 3]);
    expect(await reader.runs(second?.publicId ?? '')).toMatchObject([{ outcome: 'abandon' }]);
  });

  test('a job that is locked, and run by nobody, is cancelled when it is let go', async (stage) => {
    const { queue, put, hold, row } = stage;
    const handler = defineHandler({
      kind: 'work',
      queue: `${queue}-other`,
      payload: AnyJson,
      run: () => {},
    });
    const job = await put();
    const { held } = await hold();
    const { heard } = await listening(stage, [handler]);
    expect(await clientOf(stage, [handler]).cancel(job.publicId)).toBe('signalled');
    await within('the worker hears of it', heard);
    expect((await row(job)).status).toBe('new');
    await held.rollback();
    await until('it is cancelled', async () => (await row(job)).status === 'cancelled');
  });

  test('a worker that stops cancels what it had locked, and did not run', async (stage) => {
    const { key, queue, putMany, reader } = stage;
    const running = gate();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run({ signal }) {
        running.open();
        throw await aborted(signal);
      },
    });
    const [, second] = await putMany([{ key }, { key }]);
    const { opened, heard } = await listening(stage, [handler], { watchInterval: NEVER });
    await within('the handler', running.promise);
    expect(await clientOf(stage, [handler]).cancel(second?.publicId ?? '')).toBe('signalled');
    await within('the worker hears of it', heard);
    await within('the end', opened.worker.stop({ drain: 0 }));
    expect((await reader.jobs(queue)).map(({ status }) => status)).toEqual(['new', 'cancelled']);
  });

  for (const claim of ['hold', 'lease'] as const) {
    test(`of a group that a stopping worker gives back, what is cancelled meanwhile is cancelled: ${claim}`, async (stage) => {
      const { key, queue, putMany, reader } = stage;
      const [running, finish] = [gate(), gate()];
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        group: true,
        claim,
        async run({ signal }) {
          running.open();
          const reason = await aborted(signal);
          await finish.promise;
          throw reason;
        },
      });
      const [first, second] = await putMany([{ key }, { key }]);
      const { opened, heard } = await listening(stage, [handler]);
      await within('the handler', running.promise);
      const stopped = opened.worker.stop({ drain: 0 });
      expect(await clientOf(stage, [handler]).cancel(first?.publicId ?? '')).toBe('signalled');
      await within('the worker hears of it', heard);
      finish.open();
      await within('the end', stopped);
      expect((await reader.jobs(queue)).map(({ status }) => status)).toEqual(['cancelled', 'new']);
      expect(await reader.runs(first?.publicId ?? '')).toMatchObject([{ outcome: 'abandon' }]);
      expect(await reader.runs(second?.publicId ?? '')).toMatchObject([{ outcome: 'release' }]);
    });
  }

  for (const claim of ['hold', 'lease'] as const) {
    test(`a handler cannot cancel its own job through its tx, but one that waits behind it: ${claim}`, async <
      Tx,
    >(stage: Stage<Tx>) => {
      const { key, queue, putMany, reader } = stage;
      const [own, next] = await putMany([{ key }, { key }]);
      const client = clientOf<Tx>(stage, []);
      const answers: unknown[] = [];
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        claim,
        async run({ tx }: RunContext<unknown, Tx>) {
          for (const job of [own, next]) {
            answers.push(await client.cancel(job?.publicId ?? '', { tx }).catch(({ code }) => code));
          }
        },
      });
      await startWorker(stage, [handler], { concurrency: 1 });
      const rows = await allSettled(stage);
      expect(answers).toEqual(['ROWLOCK_INVALID_INPUT', 'cancelled']);
      expect(rows.map(({ status }) => status)).toEqual(['complete', 'cancelled']);
      expect(await reader.runs(own?.publicId ?? '')).toMatchObject([{ outcome: 'complete' }]);
    });
  }

  test('what a batch has not begun in its time goes back, unless it was cancelled meanwhile', async (stage) => {
    const { key, queue, putMany, reader } = stage;
    const [running, finish] = [gate(), gate()];
    let skippedMs = 0;
    const clock: Clock = { ...slowClock, now: () => slowClock.now() + skippedMs };
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      batch: 100,
      async run({ job }) {
        if (job.payload !== 1) return;
        running.open();
        await finish.promise;
        skippedMs = 1_000;
      },
    });
    // A slot's claims double: after three of them the next takes four jobs.
    const before = [{}, {}, {}];
    const batch = [1, 2, 3, 4].map((payload) => ({ key, payload }));
    const jobs = (await putMany([...before, ...batch])).slice(before.length);
    const { heard } = await listening(stage, [handler], { concurrency: 1, clock });
    await within('the handler', running.promise);
    expect(await clientOf(stage, [handler]).cancel(jobs[1]?.publicId ?? '')).toBe('signalled');
    await within('the worker hears of it', heard);
    finish.open();
    const rows = (await allSettled(stage)).slice(before.length);
    expect(rows.map(({ status }) => status)).toEqual(['complete', 'cancelled', 'complete', 'complete']);
    const outcomes = jobs.map(async (job) => (await reader.runs(job.publicId)).map(({ outcome }) => outcome));
    expect(await Promise.all(outcomes)).toEqual([
      ['complete'],
      ['abandon'],
      ['release', 'complete'],
      ['release', 'complete'],
    ]);
  });

  for (const [who, isOther] of [
    ['the worker that ran it', false],
    ['another one that has heard of it', true],
  ] as const) {
    test(`a job that is redriven right after it was cancelled is run, by ${who}`, async (stage) => {
      const { queue, put, row } = stage;
      const running = gate();
      let calls = 0;
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        async run({ signal }) {
          calls += 1;
          if (calls > 1) return;
          running.open();
          throw await aborted(signal);
        },
      });
      const job = await put();
      // They do not ask what became of it.
      const first = await listening(stage, [handler], { watchInterval: NEVER });
      await within('the handler', running.promise);
      const workers = isOther
        ? [first, await listening(stage, [handler], { watchInterval: NEVER })]
        : [first];
      const client = clientOf(stage, [handler]);
      expect(await client.cancel(job.publicId)).toBe('signalled');
      await within('all hear of it', Promise.all(workers.map(({ heard }) => heard)));
      await until('it is cancelled', async () => (await row(job)).status === 'cancelled');
      if (isOther) await within('the end', first.opened.worker.stop());
      await client.redrive(job.publicId);
      expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1 }]);
      expect(calls).toBe(2);
    });
  }

  test('a job that is redriven while a worker asks what became of its cancellation is run', async (stage) => {
    const { queue, put } = stage;
    const [running, asking, asked] = [gate(), gate(), gate()];
    let calls = 0;
    let isAsked = false;
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run({ signal }) {
        calls += 1;
        if (calls > 1) return;
        running.open();
        const reason = await aborted(signal);
        await asking.promise;
        throw reason;
      },
    });
    const job = await put();
    const wrap = <Tx>(driver: Driver<Tx>): Driver<Tx> =>
      instead(driver, {
        jobs: {
          async move(...call) {
            // A watch and a survey may both retry the cancellation at the same time.
            if (isAsked) return driver.jobs.move(...call);
            isAsked = true;
            asking.open();
            // Nobody is woken, and claims it, before the worker's own move comes. MySQL shows a commit before it releases the locks.
            await until(
              'it is cancelled and redriven',
              async () => (await moveOne(driver, 'redrive', job.publicId)).outcome === 'moved',
            );
            const moved = await driver.jobs.move(...call);
            asked.open();
            return moved;
          },
        },
      });
    const { worker } = await openWorker(stage, [handler], {}, wrap);
    await worker.start();
    await within('the handler', running.promise);
    expect(await clientOf(stage, [handler]).cancel(job.publicId)).toBe('signalled');
    await within('the worker asks', asked.promise);
    await stage.driver.workers.notify([{ queue }]);
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1 }]);
    expect(calls).toBe(2);
  });
});

/** A worker that is started, and when it has taken in a cancellation. */
async function listening<Tx>(
  stage: Stage<Tx>,
  handlers: Parameters<typeof openWorker<Tx>>[1],
  options?: WorkerProcessOptions,
): Promise<{ readonly opened: WorkerProcess<Tx>; readonly heard: Promise<void> }> {
  const { promise: heard, open } = gate();
  const opened = await openWorker(stage, handlers, options, (driver) => telling(driver, open));
  await opened.worker.start();
  return { opened, heard };
}

function telling<Tx>(driver: Driver<Tx>, tell: () => void): Driver<Tx> {
  return instead(driver, {
    workers: {
      async anchor(worker, session) {
        const anchor = await driver.workers.anchor(worker, session);
        return instead(anchor, {
          async *wakeUps(options) {
            for await (const wakeUp of anchor.wakeUps(options)) {
              yield wakeUp;
              if ('cancel' in wakeUp) tell();
            }
          },
        });
      },
    },
  });
}
