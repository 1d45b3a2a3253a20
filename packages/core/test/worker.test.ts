import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  createRowlock,
  type Driver,
  defineHandler,
  type HeldTransaction,
  type Survey,
} from '../src/index.js';
import { handClock } from './hand-clock.js';

const NOTHING: Survey = { promoted: 0, nextDueMs: null, waiting: false, leased: false };
const Work = defineHandler({ kind: 'work', payload: z.unknown(), run: () => {} });

/** A worker by the hand's clock, on a database in which nothing can be claimed. */
async function idleWorker(survey: Survey) {
  const clock = handClock();
  const database = emptyDatabase(survey);
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const rowlock = createRowlock({ driver: database.driver, handlers: [Work], clock, log: silent });
  const worker = rowlock.worker();
  const idle = () => new Promise<void>((resolve) => worker.on('idle', resolve));
  const rests = idle();
  await worker.start();
  await rests;
  return { clock, worker, idle, looks: () => database.looks };
}

test('while somebody holds what is due a worker looks again every 250 ms, because one that dies tells nobody', async () => {
  const { clock, worker, idle, looks } = await idleWorker({ ...NOTHING, waiting: true });
  for (const expected of [1, 2, 3]) {
    expect(looks()).toBe(expected);
    clock.advance(249);
    expect(looks()).toBe(expected);
    const rests = idle();
    clock.advance(1);
    await rests;
  }
  await worker.stop();
});

test('a worker looks when the next job becomes due, if that is before its next look anyway', async () => {
  const { clock, worker, idle, looks } = await idleWorker({ ...NOTHING, nextDueMs: 1_234 });
  clock.advance(1_233);
  expect(looks()).toBe(1);
  const rests = idle();
  clock.advance(1);
  await rests;
  expect(looks()).toBe(2);
  await worker.stop();
});

test('when there is nothing to wait for a worker waits for a wake-up', async () => {
  const { clock, worker, looks } = await idleWorker(NOTHING);
  clock.advance(3_600_000);
  expect(looks()).toBe(1);
  await worker.stop();
});

/** Its session calls once, at the beginning. */
function emptyDatabase(survey: Survey): { readonly driver: Driver; readonly looks: number } {
  let looks = 0;
  const unused = () => Promise.reject(new Error('Nothing here uses this.'));
  const held: HeldTransaction<unknown> = {
    lost: new AbortController().signal,
    handle: undefined,
    async claim() {
      looks += 1;
      return [];
    },
    lockSiblings: unused,
    firstOutstanding: unused,
    release: unused,
    lease: unused,
    lockLeased: unused,
    used: false,
    settle: unused,
    finish: unused,
    renew: unused,
    undo: unused,
    commit: unused,
    rollback: async () => {},
  };
  const driver: Driver = {
    name: 'empty',
    capabilities: { maxConnections: null, sharesPool: false, chains: false },
    begin: async () => held,
    deferred: () => undefined,
    reclaim: unused,
    survey: async () => survey,
    anchor: async () => ({
      workerId: '1',
      proof: 'session' as const,
      pushed: true,
      async *wakeUps({ signal }) {
        yield {};
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      },
      report: async () => {},
      release: async () => {},
    }),
    verify: async () => ({ serverConnections: null }),
    close: async () => {},
    join: () => driver,
    migrate: unused,
    startRuns: unused,
    noteRun: unused,
    enqueue: unused,
    list: unused,
    count: unused,
    move: unused,
    notify: unused,
    workers: unused,
    history: unused,
    prune: unused,
    takePruneTurn: unused,
  };
  return {
    driver,
    get looks() {
      return looks;
    },
  };
}
