import { setImmediate as turn } from 'node:timers/promises';
import { defineHandler, type RunContext } from '@rowlock/core';
import { expect } from 'vitest';
import { HandClock } from '../hand-clock.js';
import { RunLog } from '../run-log.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import { AnyJson, openWorker, type WorkerProcessOptions } from '../worker-process.js';

const QUICK = { pollInterval: '1h', watchInterval: '20ms' } as const;

const NONE = { count: 0, more: false };

/** A handler of the test's queue. */
function working<Tx>(
  { queue }: Pick<Stage<Tx>, 'queue'>,
  run: (context: RunContext<unknown, Tx>) => unknown = () => null,
) {
  return defineHandler({
    kind: 'work',
    queue,
    payload: AnyJson,
    retry: { base: '1h', cap: '1h' },
    run: async (context: RunContext<unknown, Tx>) => {
      await run(context);
    },
  });
}

/** A job, and a handler that waits for its abort. */
async function waiting<Tx>(stage: Stage<Tx>) {
  const begun = gate();
  const handler = working(stage, async ({ signal }) => {
    begun.open();
    await aborted(signal);
    signal.throwIfAborted();
  });
  const job = await stage.put();
  const open = (options?: WorkerProcessOptions<Tx>) => openWorker(stage, [handler], options);
  return { job, running: begun.promise, open };
}

const GIVEN_BACK = {
  ...{ completed: 0, failed: 0, retried: 0 },
  remaining: { waiting: { count: 1 }, running: NONE, due: true },
};

export const untilIdle = theme('until idle', (test) => {
  test('runs what is due, what handlers enqueue and what follows, and says what remains', async (stage) => {
    const { queue, reader } = stage;
    const handler = working(stage, async ({ job, enqueue }) => {
      if (job.payload === 'first') await enqueue(handler, { payload: 'by the handler' });
      if (job.payload === 'retried') throw new Error('not yet');
    });
    const { rowlock } = await openWorker(stage, [handler]);
    const first = await rowlock.enqueue(handler, { payload: 'first' });
    await rowlock.enqueue(handler, { payload: 'follower', after: [first.publicId] });
    await rowlock.enqueue(handler, { payload: 'retried' });
    await rowlock.enqueue(handler, { payload: 'failed', attempts: 1 });
    await rowlock.enqueue(handler, { payload: 'delayed', delay: '1h' });
    const report = await within('the end', rowlock.runUntilIdle(QUICK));
    expect(report).toMatchObject({
      ended: 'idle',
      ...{ completed: 4, failed: 0, cancelled: 0, retried: 1 },
      remaining: { waiting: { count: 2, more: false }, running: NONE, due: false },
    });
    expect(report.remaining.nextMs).toBeGreaterThan(0);
    const rows = await reader.jobs(queue);
    expect(rows.filter(({ status }) => status === 'complete').map(({ payload }) => payload)).toEqual(
      expect.arrayContaining(['first', 'follower', 'failed', 'by the handler']),
    );
  });

  test('a worker that has ended is not alive, and another one may follow', async (stage) => {
    const { rowlock } = await openWorker(stage, [working(stage)]);
    for (const name of ['one', 'two']) {
      await rowlock.runUntilIdle({ ...QUICK, name: `${stage.queue} ${name}` });
      const workers = await rowlock.insight.workers();
      expect(workers.filter((each) => each.name.startsWith(stage.queue) && each.alive)).toEqual([]);
    }
  });

  test('jobs that others hold are left to them', async (stage) => {
    const { put, hold } = stage;
    await put();
    const { held } = await hold();
    await put();
    const { rowlock } = await openWorker(stage, [working(stage)]);
    const report = await within('the end', rowlock.runUntilIdle(QUICK));
    expect(report).toMatchObject({ ended: 'idle', completed: 1, remaining: { due: true } });
    await held.rollback();
    expect(await rowlock.runUntilIdle(QUICK)).toMatchObject({ completed: 1, remaining: { waiting: NONE } });
  });

  test('several at once leave nothing, though they refuse each other the keys', async (stage) => {
    const { putMany } = stage;
    await putMany(Array.from({ length: 24 }, (_, place) => ({ key: `${stage.key} ${place % 3}` })));
    const history = new RunLog();
    const handler = working(stage, async ({ key, jobs }) => {
      history.begin(key, jobs);
      await turn();
      history.end(key);
    });
    const hands = [await openWorker(stage, [handler]), await openWorker(stage, [handler])];
    const reports = await within(
      'the end',
      Promise.all(hands.map(({ rowlock }) => rowlock.runUntilIdle(QUICK))),
    );
    expect(reports.map(({ ended }) => ended)).toEqual(['idle', 'idle']);
    expect(reports.reduce((sum, { completed }) => sum + completed, 0)).toBe(24);
    expect(history.overlaps).toEqual([]);
  });

  test('at the end of its time it stops as a worker does, and the jobs of aborted handlers go back', async (stage) => {
    const clock = new HandClock();
    const { job, running, open } = await waiting(stage);
    const { rowlock } = await open({ clock });
    const report = rowlock.runUntilIdle({ ...QUICK, atMost: '1s', drain: 0 });
    await within('the handler', running);
    let isOver = false;
    const over = report.finally(() => {
      isOver = true;
    });
    for (clock.advance(1_000); !isOver; clock.advance(1)) await turn();
    expect(await over).toMatchObject({ ...GIVEN_BACK, ended: 'atMost' });
    expect(await stage.row(job)).toMatchObject({ status: 'new', attempt: 0 });
  });

  test('a signal stops it in the same way', async (stage) => {
    const { job, running, open } = await waiting(stage);
    const { rowlock } = await open();
    const stop = new AbortController();
    const report = rowlock.runUntilIdle({ ...QUICK, signal: stop.signal, drain: 0 });
    await within('the handler', running);
    stop.abort();
    expect(await within('the end', report)).toMatchObject({ ...GIVEN_BACK, ended: 'signal' });
    expect(await stage.row(job)).toMatchObject({ status: 'new', attempt: 0 });
    expect(await rowlock.runUntilIdle({ ...QUICK, signal: stop.signal })).toMatchObject({ ended: 'signal' });
  });

  test('the lease of a worker that has died is taken over', async (stage) => {
    const { put } = stage;
    const running = gate();
    let runs = 0;
    const handler = {
      ...working(stage, async ({ signal }) => {
        runs += 1;
        if (runs > 1) return;
        running.open();
        await aborted(signal);
      }),
      claim: 'lease' as const,
    };
    await put();
    const dead = await openWorker(stage, [handler]);
    await dead.worker.start();
    await within('the handler', running.promise);
    await dead.process.kill();
    // Until the server has noticed, the worker counts as alive, and its job as one that another worker runs.
    await until('its sessions have ended', async () => (await dead.process.sessions()).length === 0);
    const { rowlock } = await openWorker(stage, [handler]);
    const report = await within('the end', rowlock.runUntilIdle(QUICK));
    expect(report).toMatchObject({
      ended: 'idle',
      completed: 1,
      remaining: { waiting: NONE, running: NONE },
    });
  });

  test('a schedule that is due fires', async (stage) => {
    const { key: name, driver, reader } = stage;
    stage.defer(() => driver.schedules.remove(name));
    const handler = working(stage);
    const { rowlock } = await openWorker(stage, [handler]);
    await rowlock.schedules.set(name, { handler, payload: 7, every: '1h' });
    await reader.moveSchedule(name, await reader.now());
    const report = await within('the end', rowlock.runUntilIdle(QUICK));
    expect(report).toMatchObject({ ended: 'idle', completed: 1 });
    expect(report.remaining.nextMs).toBeLessThanOrEqual(3_600_000);
  });

  test('jobs whose limit is reached, or that are paused, remain', async (stage) => {
    const { queue, key } = stage;
    const limited = defineHandler({
      kind: 'limited',
      queue,
      payload: AnyJson,
      limit: { name: key, starts: 1, per: '1h' },
      run: () => {},
    });
    const paused = working(stage);
    const { rowlock } = await openWorker(stage, [limited, paused]);
    await rowlock.enqueueMany(limited, [{ payload: 1 }, { payload: 2 }]);
    await rowlock.enqueue(paused, { payload: 3 });
    await rowlock.jobs.pause({ queue });
    const { remaining } = await within('the end', rowlock.runUntilIdle(QUICK));
    expect(remaining).toMatchObject({ waiting: { count: 3 }, due: false });
    await rowlock.jobs.resume({ queue });
    expect(await within('the next end', rowlock.runUntilIdle(QUICK))).toMatchObject({
      completed: 2,
      remaining: { waiting: { count: 1 }, due: true },
    });
  });
});
