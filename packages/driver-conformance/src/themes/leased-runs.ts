import {
  complete,
  type Driver,
  DriverError,
  defineHandler,
  type Handler,
  type HandlerResult,
  type RunContext,
} from '@rowlock/core';
import type { SessionListener } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { claimInstead } from '../claim-instead.js';
import { endSessions } from '../end-sessions.js';
import { instead } from '../instead.js';
import { RunLog } from '../run-log.js';
import { slowClock } from '../slow-clock.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, gate, until, within } from '../until.js';
import { AnyJson, openWorker, SOON, startWorker } from '../worker-process.js';
import { leased as leaseOf } from './leases.js';

/** A handler of the test's queue whose claims are leased. */
function leasing<Tx>(
  { queue }: Stage<Tx>,
  run: (context: RunContext<unknown, Tx>) => HandlerResult | Promise<HandlerResult>,
  group = false,
): Handler<typeof AnyJson, Tx> {
  return defineHandler({ kind: 'work', queue, payload: AnyJson, claim: 'lease', retry: SOON, group, run });
}

export const leasedRuns = theme('leased runs', (test) => {
  test('a job that runs is in progress, and nothing is locked', async (stage) => {
    const { key, queue, put, row } = stage;
    const [running, finish] = [gate(), gate()];
    const job = await put({ key: stage.key });
    await startWorker(stage, [
      leasing(stage, async () => {
        running.open();
        await finish.promise;
        return complete('done');
      }),
    ]);
    await within('the handler', running.promise);
    expect(await row(job)).toMatchObject({ status: 'in-progress' });
    expect(await stage.view(job)).toMatchObject({ status: 'in-progress', worker: expect.any(String) });
    const other = stage.claimSession();
    expect(await other.lockSiblings({ queue, keys: [key] }, 10)).toMatchObject([{ id: job.id }]);
    await other.rollback();
    finish.open();
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', output: 'done', attempt: 1 }]);
  });

  test('a lease whose settlement a fail-over has lost is put back by its own, live worker', async (stage) => {
    const { driver, reader, queue, key, put, row } = stage;
    const job = await put({ key });
    await startWorker(stage, [leasing(stage, () => complete('done'))]);
    const [settled] = await allSettled(stage);
    // What the server that has taken over knows: the lease, and nothing of its end.
    await reader.write(job.publicId, {
      status: 'in-progress',
      output: null,
      attempt: 0,
      startedAt: null,
      startedBy: null,
      finishedAt: null,
      finishedBy: null,
    });
    expect(await row(job)).toMatchObject({ status: 'in-progress', runId: settled?.runId });
    const behind = await put({ key });
    await driver.workers.notify([{ queue }]);
    await allSettled(stage);
    expect(await row(job)).toMatchObject({ status: 'complete', output: 'done', attempt: 2, crashes: 1 });
    expect(await row(behind)).toMatchObject({ status: 'complete', attempt: 1, crashes: 0 });
  });

  test('what a handler writes at its end commits with the settlement', async <Tx>(stage: Stage<Tx>) => {
    const { put, createNotes } = stage;
    const notes = await createNotes();
    const [written, finish] = [gate(), gate()];
    await put();
    await startWorker(stage, [
      leasing(stage, async ({ tx }: RunContext<unknown, Tx>) => {
        await notes.write(tx, 'written');
        written.open();
        await finish.promise;
      }),
    ]);
    await within('the write', written.promise);
    expect(await notes.all()).toEqual([]);
    finish.open();
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete' }]);
    expect(await notes.all()).toEqual(['written']);
  });

  test('a handler that fails loses its writes, and its job is retried', async <Tx>(stage: Stage<Tx>) => {
    const { put, createNotes } = stage;
    const notes = await createNotes();
    await put();
    await startWorker(stage, [
      leasing(stage, async ({ tx, job }: RunContext<unknown, Tx>) => {
        await notes.write(tx, `attempt ${job.attempt}`);
        if (job.attempt === 1) throw new Error('failed');
      }),
    ]);
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 2, crashes: 0 }]);
    expect(await notes.all()).toEqual(['attempt 2']);
  });

  test('a handler that swallows a failed statement is retried, and stops nobody', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { database, put } = stage;
    await put();
    await startWorker(stage, [
      leasing(stage, async ({ tx, job }: RunContext<unknown, Tx>) => {
        if (job.attempt === 1) await database.run(tx, 'SELECT nothing FROM nowhere').catch(() => {});
        return complete(job.attempt);
      }),
    ]);
    const [row] = await allSettled(stage);
    expect(row).toMatchObject({ status: 'complete', crashes: 0 });
  });

  test('a lease that ends while its worker drains is settled, though the first connection for it is dead', async (stage) => {
    const { put } = stage;
    const [running, finish] = [gate(), gate()];
    let dead = 0;
    await put();
    const handler = leasing(stage, async () => {
      running.open();
      await finish.promise;
    });
    const { worker } = await openWorker(stage, [handler], { concurrency: 1 }, (driver) =>
      instead(driver, {
        claims: {
          session: (options) => {
            const session = driver.claims.session(options);
            return instead(session, {
              lockLeased: async (runId, jobs, isCommitted) => {
                if (dead-- > 0) throw new DriverError('ConnectionLost', 'The firewall has forgotten it.');
                return session.lockLeased(runId, jobs, isCommitted);
              },
            });
          },
        },
      }),
    );
    await worker.start();
    await within('the handler', running.promise);
    const stopped = worker.stop({ drain: '1h' });
    dead = 1;
    finish.open();
    await within('the stop', stopped);
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1, crashes: 0 }]);
  });

  test('the jobs of a dead worker are run by another, and the crash is counted', async (stage) => {
    const { put } = stage;
    const running = gate();
    await put({ key: stage.key });
    const dying = await startWorker(stage, [
      leasing(stage, async ({ signal }) => {
        running.open();
        throw await aborted(signal);
      }),
    ]);
    await within('the handler', running.promise);
    await startWorker(stage, [leasing(stage, ({ job }) => complete(`attempt ${job.attempt}`))]);
    await dying.process.kill();
    expect(await allSettled(stage)).toMatchObject([
      { status: 'complete', output: 'attempt 2', attempt: 2, crashes: 1 },
    ]);
  });

  test('the jobs of a dead worker are put back while all slots of the others are busy', async (stage) => {
    const { put, row } = stage;
    const [running, finish] = [gate(), gate()];
    const own = await put();
    const handler = leasing(stage, async ({ job }) => {
      running.open();
      if (job.publicId === own.publicId) await finish.promise;
    });
    await startWorker(stage, [handler], { concurrency: 1 });
    await within('the handler', running.promise);
    const dying = await stage.process();
    const { job } = await leaseOf(stage, dying.driver);
    expect(await row(job)).toMatchObject({ status: 'in-progress' });
    await dying.kill();
    await until('its job is put back', async () => (await row(job)).status === 'new');
    expect(await row(own)).toMatchObject({ status: 'in-progress' });
    finish.open();
    expect(await allSettled(stage)).toMatchObject([
      { status: 'complete', attempt: 1, crashes: 0 },
      { status: 'complete', attempt: 2, crashes: 1 },
    ]);
  });

  test('a worker that cannot come back tells its handlers, and what they bring back is not written', async (stage) => {
    const { put } = stage;
    const running = gate();
    const job = await put();
    const told: unknown[] = [];
    const zombie = await openWorker(stage, [
      leasing(stage, async ({ signal }) => {
        running.open();
        told.push(await aborted(signal));
        return complete('the zombie');
      }),
    ]);
    const lost = new Promise((resolve) => zombie.worker.on('lost', () => resolve(undefined)));
    await zombie.worker.start();
    await within('the handler', running.promise);
    await zombie.process.kill();
    await startWorker(stage, [leasing(stage, () => complete('the next run'))]);
    await allSettled(stage);
    await until('the handler is told', async () => told.length > 0);
    expect(told).toMatchObject([{ code: 'ROWLOCK_CLAIM_LOST' }]);
    await zombie.worker.stop({ drain: 0 });
    await within('the loss', lost);
    expect(await stage.row(job)).toMatchObject({ status: 'complete', output: 'the next run' });
  });

  test('what a zombie brings back is not written, though nobody has its job yet', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { driver, queue, put, row, createNotes } = stage;
    const notes = await createNotes();
    const [running, finish] = [gate(), gate()];
    const job = await put();
    const zombie = await openWorker(
      stage,
      [
        leasing(stage, async ({ tx, job }: RunContext<unknown, Tx>) => {
          if (job.attempt === 1) running.open();
          if (job.attempt === 1) await finish.promise;
          await notes.write(tx, `attempt ${job.attempt}`);
        }),
      ],
      { concurrency: 1 },
      firstLeaseShort,
    );
    const lost = new Promise((resolve) => zombie.worker.on('lost', resolve));
    await zombie.worker.start();
    await within('the handler', running.promise);
    // By this call, or by the worker itself, whose only slot is busy.
    await until('the lease is put back', async () => {
      await driver.claims.reclaim({ queues: [queue], dead: [] });
      return (await row(job)).status === 'new';
    });
    finish.open();
    await within('the loss', lost);
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 2, crashes: 1 }]);
    expect(await notes.all()).toEqual(['attempt 2']);
  });

  test('a worker whose sessions the server ends keeps its leases', async (stage) => {
    const { put } = stage;
    const [running, finish] = [gate(), gate()];
    let runs = 0;
    await put();
    const handler = leasing(stage, async ({ signal }) => {
      runs += 1;
      running.open();
      await finish.promise;
      return complete(signal.aborted ? 'told to stop' : 'undisturbed');
    });
    // It is to be back within a second of its own.
    const opened = await startWorker(stage, [handler], { clock: slowClock });
    await within('the handler', running.promise);
    const living = async () => (await stage.driver.workers.list()).filter(({ alive }) => alive).length;
    const before = await living();
    await endSessions(opened.process);
    await until('the worker is back', async () => (await living()) === before);
    await opened.process.disconnect();
    finish.open();
    const [row] = await allSettled(stage);
    expect(row).toMatchObject({ status: 'complete', output: 'undisturbed', attempt: 1, crashes: 0 });
    expect(runs).toBe(1);
  });

  test('without its session a worker leases nothing', async <Tx>(stage: Stage<Tx>) => {
    const { put, row } = stage;
    const sessions: SessionListener[] = [];
    const opened = await openWorker(stage, [leasing(stage, () => {})], {}, (driver) =>
      instead(driver, {
        workers: {
          anchor: (worker, session) => {
            if (session !== undefined) sessions.push(session);
            return driver.workers.anchor(worker, session);
          },
        },
      }),
    );
    const blocked = new Promise((resolve) => opened.worker.on('blocked', () => resolve(undefined)));
    await opened.worker.start();
    for (const session of sessions) session.lost();
    const job = await put();
    opened.worker.wake();
    await within('the job is passed over', blocked);
    expect((await row(job)).status).toBe('new');
    for (const session of sessions) session.back();
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1 }]);
  });

  test('a worker that loses its session while it claims leases nothing', async <Tx>(stage: Stage<Tx>) => {
    const { put, row, key, reader } = stage;
    const sessions: SessionListener[] = [];
    let isAway = true;
    let runs = 0;
    const run = (): void => {
      runs += 1;
    };
    const handler = { ...leasing<Tx>(stage, run), after: ['create'] };
    const opened = await openWorker(stage, [handler], {}, (driver) => {
      const losing = claimInstead(driver, (held) => ({
        async firstOutstanding(question) {
          // For longer than a lease is kept without it: no run is told of that any more.
          if (isAway) for (const session of sessions) session.lost(800);
          return held.firstOutstanding(question);
        },
      }));
      return instead(losing, {
        workers: {
          anchor: (worker, session) => {
            if (session !== undefined) sessions.push(session);
            return driver.workers.anchor(worker, session);
          },
        },
      });
    });
    const job = await put({ key });
    const blocked = new Promise((resolve) => opened.worker.on('blocked', () => resolve(undefined)));
    await opened.worker.start();
    await within('the job is passed over', blocked);
    expect((await row(job)).status).toBe('new');
    expect(runs).toBe(0);
    isAway = false;
    for (const session of sessions) session.back();
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1 }]);
    expect(runs).toBe(1);
    const outcomes = (await reader.runs(job.publicId)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['release', 'complete']);
  });

  test('a worker that lost its session while it could not start leases when it can', async <
    Tx,
  >(stage: Stage<Tx>) => {
    let starts = 0;
    const opened = await openWorker(stage, [leasing(stage, () => {})], {}, (driver) =>
      instead(driver, {
        workers: {
          async anchor(worker, session) {
            starts += 1;
            if (starts > 1) return driver.workers.anchor(worker, session);
            session?.lost();
            throw new Error('the server is away');
          },
        },
      }),
    );
    await stage.put();
    await expect(opened.worker.start()).rejects.toThrow('the server is away');
    await opened.worker.start();
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1 }]);
  });

  test('a worker that learns late that it was without its session tells its handlers at once', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const running = gate();
    const told = gate<unknown>();
    const sessions: SessionListener[] = [];
    // No time passes for the worker.
    const clock = { now: () => 0, after: () => () => {} };
    const handler = leasing(stage, async ({ signal }) => {
      running.open();
      told.open(await aborted(signal));
    });
    const opened = await openWorker(stage, [handler], { clock }, (driver) =>
      instead(driver, {
        workers: {
          anchor: (worker, session) => {
            if (session !== undefined) sessions.push(session);
            return driver.workers.anchor(worker, session);
          },
        },
      }),
    );
    await stage.put();
    await opened.worker.start();
    await within('the handler', running.promise);
    for (const session of sessions) session.lost(800);
    expect(await within('the handler is told', told.promise)).toMatchObject({ code: 'ROWLOCK_CLAIM_LOST' });
  });

  test('a job that kills every process it runs in ends as an error after its attempts', async (stage) => {
    const { put, reader } = stage;
    const job = await put({ maxAttempts: 2 });
    for (let crash = 1; crash <= 2; crash++) {
      const running = gate();
      const dying = await startWorker(stage, [
        leasing(stage, async ({ signal }) => {
          running.open();
          throw await aborted(signal);
        }),
      ]);
      await within('the handler', running.promise);
      await dying.process.kill();
    }
    await startWorker(stage, [leasing(stage, () => complete('must not run'))]);
    const [row] = await allSettled(stage);
    expect(row).toMatchObject({
      status: 'error',
      attempt: 2,
      crashes: 2,
      error: { code: 'ROWLOCK_CRASHED' },
    });
    expect((await reader.runs(job.publicId)).map(({ outcome }) => outcome)).toEqual([
      'reclaim',
      'reclaim',
      'exhaust',
    ]);
  });

  test('a cancelled handler is told, and its job is cancelled', async (stage) => {
    const { put } = stage;
    const running = gate();
    const job = await put();
    const { rowlock } = await startWorker(stage, [
      leasing(stage, async ({ signal }) => {
        running.open();
        throw await aborted(signal);
      }),
    ]);
    await within('the handler', running.promise);
    expect(await rowlock.cancel(job.publicId)).toBe('signalled');
    expect(await allSettled(stage)).toMatchObject([{ status: 'cancelled' }]);
  });

  test('a worker that stops without patience gives its leases back', async (stage) => {
    const { put, row, reader } = stage;
    const running = gate();
    const job = await put();
    const { worker } = await startWorker(stage, [
      leasing(stage, async ({ signal }) => {
        running.open();
        throw await aborted(signal);
      }),
    ]);
    await within('the handler', running.promise);
    await within('the end', worker.stop({ drain: 0 }));
    expect(await row(job)).toMatchObject({ status: 'new', attempt: 0, crashes: 0 });
    expect(await reader.runs(job.publicId)).toMatchObject([{ outcome: 'release' }]);
  });

  test('what a handler that was stopped has written goes with its lease', async <Tx>(stage: Stage<Tx>) => {
    const { reader, put, row, createNotes } = stage;
    const notes = await createNotes();
    const written = gate();
    const job = await put();
    const { worker } = await startWorker(stage, [
      leasing(stage, async ({ tx, signal }: RunContext<unknown, Tx>) => {
        await notes.write(tx, 'half');
        written.open();
        throw await aborted(signal);
      }),
    ]);
    await within('the write', written.promise);
    await within('the end', worker.stop({ drain: 0 }));
    expect(await row(job)).toMatchObject({ status: 'new' });
    expect(await reader.runs(job.publicId)).toMatchObject([{ outcome: 'release' }]);
    expect(await notes.all()).toEqual([]);
  });

  test('a group is leased, and a job that comes later gets a later run', async (stage) => {
    const { key, queue, put, putMany } = stage;
    const [running, finish] = [gate(), gate()];
    const sizes: number[] = [];
    await putMany([{ key }, { key }, { key }]);
    const handler = leasing(
      stage,
      async ({ jobs }) => {
        sizes.push(jobs.length);
        running.open();
        await finish.promise;
      },
      true,
    );
    await startWorker(stage, [handler]);
    await startWorker(stage, [handler]);
    await within('the handler', running.promise);
    await put({ key });
    await stage.driver.workers.notify([{ queue }]);
    const states = (await stage.reader.jobs(queue)).map(({ status }) => status);
    expect(states).toEqual(['in-progress', 'in-progress', 'in-progress', 'new']);
    finish.open();
    await allSettled(stage);
    expect(sizes).toEqual([3, 1]);
  });

  test('leased and held runs of a key exclude each other, whoever dies when', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, put, createNotes } = stage;
    const notes = await createNotes();
    const runLog = new RunLog();
    /** What a process that is killed has begun ends with it, though here its code lives on. */
    const handlersOf = (life: { over: boolean; readonly keys: Set<string | null> }) => {
      const run = async ({ key, jobs, tx }: RunContext<unknown, Tx>): Promise<void> => {
        if (life.over) throw new Error('dead');
        runLog.begin(key, jobs);
        life.keys.add(key);
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (life.over) throw new Error('dead');
        for (const { publicId } of jobs) await notes.write(tx, publicId);
        if (life.over) throw new Error('dead');
        life.keys.delete(key);
        runLog.end(key);
      };
      return [
        leasing(stage, run, true),
        defineHandler({ kind: 'held', queue, payload: AnyJson, retry: SOON, run }),
      ];
    };
    const [living, dying] = [
      { over: false, keys: new Set<string | null>() },
      { over: false, keys: new Set<string | null>() },
    ];
    const workers = [
      await startWorker(stage, handlersOf(living)),
      await startWorker(stage, handlersOf(living)),
    ];
    const victim = await startWorker(stage, handlersOf(dying));
    for (let place = 0; place < 60; place++) {
      await put({ key: `${stage.key}-${place % 3}`, kind: place % 2 === 0 ? 'work' : 'held' });
      await stage.driver.workers.notify([{ queue }]);
      if (place !== 30) continue;
      dying.over = true;
      for (const key of dying.keys) runLog.end(key);
      await victim.process.kill();
    }
    const rows = await allSettled(stage);
    expect(rows.filter(({ status }) => status !== 'complete')).toEqual([]);
    await Promise.all(workers.map(({ worker }) => worker.stop()));
    const effects = await notes.all();
    expect([...effects].sort()).toEqual(rows.map(({ publicId }) => publicId).sort());
    expect(runLog.overlaps).toEqual([]);
  });
});

/** The driver, except that its first lease is over at once. */
function firstLeaseShort<Tx>(driver: Driver<Tx>): Driver<Tx> {
  let first = true;
  return instead(driver, {
    claims: {
      session(options) {
        const session = driver.claims.session(options);
        return instead(session, {
          lease(runId, jobs, forMs) {
            const short = first ? 1 : forMs;
            first = false;
            return session.lease(runId, jobs, short);
          },
        });
      },
    },
  });
}
