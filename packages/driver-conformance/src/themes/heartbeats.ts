import { randomUUID } from 'node:crypto';
import { complete, defineHandler } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { endSessions } from '../end-sessions.js';
import { slowClock } from '../slow-clock.js';
import { theme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import { AnyJson, startWorker } from '../worker-process.js';
import { leased } from './leases.js';

/** Longer than one beat proves a worker alive, in milliseconds. */
const LONG_MS = 4_500;

/** Workers that have no session of their own, beside those that have. */
export const heartbeats = theme('heartbeats', (test) => {
  test('a worker whose sessions are shared is alive to everybody, and keeps its leases, as long as its heart beats', async (stage) => {
    const [direct, pooled] = [
      await stage.process({ sessions: 'own' }),
      await stage.process({ sessions: 'shared' }),
    ];
    const anchor = await stage.anchor(direct.driver);
    const { job, workerId, runId } = await leased(stage, pooled.driver);
    const aliveTo = async ({ driver }: Pick<typeof stage, 'driver'>) => {
      const workers = await driver.workers.list();
      return [anchor.workerId, workerId].map((own) => workers.find(({ id }) => id === own)?.alive);
    };
    const reclaim = ({ driver }: Pick<typeof stage, 'driver'>) =>
      driver.claims.reclaim({ queues: [stage.queue], dead: [workerId] });
    const began = await stage.reader.now();
    await until('more than one beat was needed', async () => {
      for (const observer of [direct, pooled]) {
        expect(await aliveTo(observer)).toEqual([true, true]);
        expect(await reclaim(observer)).toEqual({ reclaimed: 0, missing: [], own: [], refused: [] });
      }
      return (await stage.reader.now()).getTime() > began.getTime() + LONG_MS;
    });

    await pooled.kill();
    await until('its heart has stopped', async () => (await aliveTo(direct))[1] === false);
    expect(await aliveTo(direct)).toEqual([true, false]);
    expect(await reclaim(direct)).toEqual({ reclaimed: 1, missing: [workerId], own: [], refused: [] });
    expect(await stage.row(job)).toMatchObject({ status: 'new', runId: null });
    const held = stage.claimSession();
    expect(await held.lockLeased(runId, [job.id], true)).toEqual(new Map());
  });

  test('a worker that has a session is alive to those whose sessions are shared, and keeps its leases', async (stage) => {
    const dying = await stage.process({ sessions: 'own' });
    const { driver } = await stage.process({ sessions: 'shared' });
    const anchors = [await stage.anchor(dying.driver), await stage.anchor(driver)];
    expect(anchors.map(({ proof }) => proof)).toEqual(['session', 'heartbeat']);
    expect(anchors[1]?.pushed).toBe(false);
    const { workerId } = await leased(stage, dying.driver);
    const reclaim = () => driver.claims.reclaim({ queues: [stage.queue], dead: [workerId] });
    expect(await reclaim()).toEqual({ reclaimed: 0, missing: [], own: [], refused: [] });
    await dying.kill();
    await until('its lease is put back', async () => (await reclaim()).reclaimed === 1);
  });

  test('one that has stopped is not alive, at once', async (stage) => {
    const { driver } = await stage.process({ sessions: 'shared' });
    const anchor = await stage.anchor(driver);
    await anchor.release();
    await anchor.release();
    expect((await driver.workers.list()).find(({ id }) => id === anchor.workerId)).toMatchObject({
      alive: false,
    });
  });

  test('a held job of a worker whose sessions are shared is listed as in progress', async (stage) => {
    const [running, finish] = [gate(), gate()];
    const job = await stage.put();
    const handler = defineHandler({
      kind: 'work',
      queue: stage.queue,
      payload: AnyJson,
      async run() {
        running.open();
        await finish.promise;
      },
    });
    await startWorker(stage, [handler], { sessions: 'shared', name: 'beating' });
    await within('the handler', running.promise);
    expect(await stage.view(job)).toMatchObject({ status: 'in-progress', worker: 'beating' });
    finish.open();
    await allSettled(stage);
  });

  test('a worker whose connections the server ends goes on beating, and keeps its leases', async (stage) => {
    const [running, finish] = [gate(), gate()];
    await stage.put();
    const handler = defineHandler({
      kind: 'work',
      queue: stage.queue,
      payload: AnyJson,
      claim: 'lease',
      async run({ signal }) {
        running.open();
        await finish.promise;
        return complete(signal.aborted ? 'told to stop' : 'undisturbed');
      },
    });
    const opened = await startWorker(stage, [handler], { sessions: 'shared', clock: slowClock });
    await within('the handler', running.promise);
    await endSessions(opened.process);
    const began = await stage.reader.now();
    await until('more than one beat was needed', async () => {
      const now = (await stage.reader.now()).getTime();
      return now > began.getTime() + LONG_MS;
    });
    expect(await stage.driver.claims.reclaim({ queues: [stage.queue], dead: [] })).toEqual({
      reclaimed: 0,
      missing: [],
      own: [],
      refused: [],
    });
    finish.open();
    expect(await allSettled(stage)).toMatchObject([{ output: 'undisturbed', attempt: 1, crashes: 0 }]);
  });

  test('a worker that cannot beat tells its handlers before others take its jobs', async (stage) => {
    const running = gate();
    const happened: string[] = [];
    const job = await stage.put({ key: stage.key });
    const leasing = (run: (signal: AbortSignal) => Promise<unknown>) =>
      defineHandler({
        kind: 'work',
        queue: stage.queue,
        payload: AnyJson,
        claim: 'lease',
        async run({ signal }) {
          await run(signal);
        },
      });
    const zombie = await startWorker(
      stage,
      [
        leasing(async (signal) => {
          running.open();
          const { code } = Object(await aborted(signal));
          happened.push(`told ${code}`);
        }),
      ],
      { sessions: 'shared' },
    );
    await within('the handler', running.promise);
    await startWorker(stage, [leasing(async () => void happened.push('the next run'))]);
    await zombie.process.kill();
    await allSettled(stage);
    expect(happened).toEqual(['told ROWLOCK_CLAIM_LOST', 'the next run']);
    expect(await stage.row(job)).toMatchObject({ status: 'complete', crashes: 1 });
  });

  test('wake-ups and cancels reach a worker whose sessions are shared', async (stage) => {
    const running = gate();
    const told = gate<unknown>();
    const handler = defineHandler({
      kind: 'work',
      queue: stage.queue,
      payload: AnyJson,
      async run({ signal }) {
        running.open();
        told.open(await aborted(signal));
        throw signal.reason;
      },
    });
    const { rowlock, worker } = await startWorker(stage, [handler], { sessions: 'shared' });
    // Its poll is an hour away.
    await within('the worker rests', new Promise((resolve) => worker.on('idle', () => resolve(undefined))));
    const { publicId } = await rowlock.enqueue(handler, { payload: randomUUID() });
    await within('the handler', running.promise);
    expect(await rowlock.cancel(publicId)).toBe('signalled');
    await within('the handler is told', told.promise);
    expect(await allSettled(stage)).toMatchObject([{ status: 'cancelled' }]);
  });
});
