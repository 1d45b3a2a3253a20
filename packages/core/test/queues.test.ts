import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ClaimCriteria, Job } from '../src/driver.js';
import { createRowlock, type Driver, DriverError, defineHandler } from '../src/index.js';
import { emptyDatabase, job, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';
import { gate, settled } from './resting-worker.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

test.each(['Unknown', 'ConnectionLost'] as const)(
  'a queue in which each look fails, by %s, keeps a worker from no other, and from no survey',
  async (code) => {
    const clock = handClock();
    const ran = gate();
    const work = (queue: string) =>
      defineHandler({ kind: queue, queue, payload: z.unknown(), run: () => ran.open() });
    const jobs = [{ ...job(1n), queue: 'two', kind: 'two' }];
    const database = emptyDatabase({
      claim({ queue }) {
        if (queue !== 'two') throw new DriverError(code, `Nobody can look at ${queue}.`);
        return jobs.shift();
      },
      survey: () => NOTHING,
    });
    const handlers = [work('one'), work('two'), work('three')];
    const worker = createRowlock({ driver: database.driver, handlers, clock, log: silent }).worker();
    const faults: string[] = [];
    worker.on('fault', (error) => faults.push(String(error)));
    await worker.start();
    for (let turns = 0; turns < 20; turns++) {
      await settled();
      clock.advance(50);
    }
    await ran.opened;
    expect(faults.join()).toMatch(/one.*three|three.*one/);
    expect(database.surveys).toBeGreaterThan(0);
    await worker.stop();
  },
);

test('what goes wrong for long is tried again once a second, also while wake-ups come, and has one line in a minute', async () => {
  const clock = handClock();
  const { driver } = emptyDatabase({
    claim() {
      throw new DriverError('Unknown', 'The disk is full.');
    },
    survey: () => NOTHING,
  });
  const work = (queue: string) => defineHandler({ kind: queue, queue, payload: z.unknown(), run: () => {} });
  let told = 0;
  const warn = () => {
    told += 1;
  };
  const handlers = [work('one')];
  const worker = createRowlock({ driver, handlers, clock, log: { ...silent, warn } }).worker();
  let faults = 0;
  worker.on('fault', () => {
    faults += 1;
  });
  await worker.start();
  for (let ms = 0; ms < 30_000; ms += 10) {
    await settled();
    if (ms > 20_000) worker.wake();
    clock.advance(10);
  }
  expect(faults).toBeGreaterThan(15);
  expect(told).toBe(1);
  await worker.stop();
});

test.each(['by its session', 'in its process'])(
  'a worker that is called to a queue, %s, looks there first',
  async (how) => {
    const called = gate();
    const looked: string[] = [];
    const { driver } = emptyDatabase({
      claim({ queue }) {
        looked.push(queue);
        return undefined;
      },
      survey: () => NOTHING,
      wakeUps: (async function* () {
        await called.opened;
        yield { queue: 'three' };
      })(),
    });
    const work = (queue: string) =>
      defineHandler({ kind: queue, queue, payload: z.unknown(), run: () => {} });
    const handlers = ['one', 'two', 'three', 'four'].map(work);
    const worker = createRowlock({ driver, handlers, clock: handClock(), log: silent }).worker();
    await worker.start();
    await settled();
    looked.length = 0;
    if (how === 'in its process') worker.wake('three');
    else called.open();
    await settled();
    expect(looked).toEqual(['three', 'four', 'one', 'two']);
    called.open();
    await worker.stop();
  },
);

/** What a claim answers among these jobs, in this order, when each statement takes so long. */
function amongBlocked(clock: ReturnType<typeof handClock>, all: readonly Job[], tookMs: number) {
  return {
    claim({ line, busy }: ClaimCriteria) {
      clock.advance(tookMs);
      return all.find(({ id, key }) => id > line.id && !busy.includes(key ?? ''));
    },
    session: {
      lockSiblings: async ({ keys }: { readonly keys: readonly string[] }) => {
        clock.advance(tookMs);
        return all
          .filter(({ key }) => keys.includes(key ?? ''))
          .map((each) => ({ ...each, status: 'in-progress' as const }));
      },
    },
  };
}

test.each([60, 800])(
  'behind %d keys that are blocked a worker of one slot finds what is free, however long it takes to pass them',
  async (keys) => {
    const clock = handClock();
    const blocked = Array.from({ length: keys }, (_, place) => job(BigInt(place + 1), `key ${place}`));
    const all = [...blocked, job(BigInt(keys + 1))];
    const { driver } = emptyDatabase({
      ...amongBlocked(clock, all, 13),
      survey: () => ({ ...NOTHING, waiting: true }),
    });
    let hasRun = false;
    const run = () => {
      hasRun = true;
      all.pop();
    };
    const handler = defineHandler({ kind: 'work', payload: z.unknown(), run });
    const worker = createRowlock({ driver, handlers: [handler], clock, log: silent }).worker({
      concurrency: 1,
    });
    await worker.start();
    while (!hasRun && clock.now() < 120_000) {
      await settled();
      clock.advance(10);
    }
    expect(hasRun).toBe(true);
    await worker.stop();
  },
);

test('while all is blocked, a worker looks for half of the time at most', async () => {
  const clock = handClock();
  const all = Array.from({ length: 200 }, (_, place) => job(BigInt(place + 1), `key ${place}`));
  let looked = 0;
  const { claim, session } = amongBlocked(clock, all, 13);
  const { driver } = emptyDatabase({
    claim(criteria) {
      looked += 26;
      return claim(criteria);
    },
    session,
    survey: () => ({ ...NOTHING, waiting: true }),
  });
  const handler = defineHandler({ kind: 'work', payload: z.unknown(), run: () => {} });
  const worker = createRowlock({ driver, handlers: [handler], clock, log: silent }).worker();
  await worker.start();
  while (clock.now() < 60_000) {
    await settled();
    clock.advance(10);
  }
  expect(looked).toBeGreaterThan(5_200);
  expect(looked).toBeLessThan(33_000);
  await worker.stop();
});

test('a look that hangs keeps the others from what lies behind them for some seconds at most', async () => {
  const clock = handClock();
  const [hangs, never] = [gate(), gate()];
  const ran: bigint[] = [];
  const jobs = [job(500n)];
  let hanging = 0;
  const { driver } = emptyDatabase({
    async claim({ line }) {
      if (jobs.length === 0 && hanging++ === 0) {
        hangs.open();
        await never.opened;
      }
      const place = jobs.findIndex(({ id }) => id > line.id);
      return place === -1 ? undefined : jobs.splice(place, 1)[0];
    },
    survey: () => NOTHING,
  });
  const run = ({ job: { publicId } }: { readonly job: { readonly publicId: string } }) => {
    ran.push(BigInt(publicId.slice(4)));
  };
  const handler = defineHandler({ kind: 'work', payload: z.unknown(), run });
  const worker = createRowlock({ driver, handlers: [handler], clock, log: silent }).worker();
  await worker.start();
  await hangs.opened;
  jobs.push(job(7n));
  const pushedAt = clock.now();
  worker.wake();
  while (ran.length < 2 && clock.now() < 60_000) {
    await settled();
    clock.advance(10);
  }
  expect(ran).toEqual([500n, 7n]);
  expect(clock.now() - pushedAt).toBeLessThan(6_000);
  never.open();
  await worker.stop();
});

test('delayed jobs become due in the other queues while one cannot be looked at', async () => {
  const clock = handClock();
  const work = (queue: string) => defineHandler({ kind: queue, queue, payload: z.unknown(), run: () => {} });
  const database = emptyDatabase({
    claim({ queue }) {
      if (queue === 'one') throw new DriverError('Unknown', 'Nobody can look at it.');
      return undefined;
    },
    survey: () => NOTHING,
  });
  const handlers = [work('one'), work('two')];
  const worker = createRowlock({ driver: database.driver, handlers, clock, log: silent }).worker();
  await worker.start();
  for (let turns = 0; turns < 4; turns++) {
    await settled();
    clock.advance(50);
  }
  expect(database.surveys).toBeGreaterThan(0);
  await worker.stop();
});

test('a rule of retention for a queue that no handler is of is told of: it may be misspelt', () => {
  const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });
  const told: unknown[] = [];
  const log = { ...silent, warn: (facts: unknown) => told.push(facts) };
  const Work = defineHandler({ kind: 'work', queue: 'audit', payload: z.unknown(), run: () => {} });
  const rules = { complete: null };
  createRowlock({ driver, handlers: [Work], log, retention: { complete: '7d', queues: { audit: rules } } });
  expect(told).toEqual([]);
  createRowlock({ driver, handlers: [Work], log, retention: { complete: '7d', queues: { audti: rules } } });
  expect(told).toEqual([{ queues: ['audti'] }]);
  createRowlock({ driver, retention: { complete: '7d', queues: { audit: rules } }, log });
  expect(told).toHaveLength(1);
});

test('of a job that was left in the queue its handler had before, that queue is told', async () => {
  const jobs = [{ ...job(1n), queue: 'before' }];
  const { driver } = emptyDatabase({
    claim: ({ queue }) => (queue === 'before' ? jobs.shift() : undefined),
    survey: () => NOTHING,
  });
  const handlers = [
    defineHandler({ kind: 'work', queue: 'now', payload: z.unknown(), run: () => {} }),
    defineHandler({ kind: 'another', queue: 'before', payload: z.unknown(), run: () => {} }),
  ];
  const worker = createRowlock({ driver, handlers, clock: handClock(), log: silent }).worker();
  const told: string[] = [];
  worker.on('run', ({ queue }) => told.push(queue));
  const settlement = new Promise<void>((resolve) => {
    worker.on('settled', ({ queue, kind }) => {
      told.push(queue);
      if (kind === 'work') resolve();
    });
  });
  await worker.start();
  await settlement;
  expect(told).toEqual(['before', 'before']);
  await worker.stop();
});

test('what goes wrong in a queue is told of, though the round ends in the next one, as another slot looks there', async () => {
  const clock = handClock();
  const queues: Record<string, Job[]> = { one: [], two: [] };
  let refused = 0;
  const database = emptyDatabase({ claim: ({ queue }) => queues[queue]?.shift(), survey: () => NOTHING });
  const claimSession: Driver['claims']['session'] = (options) => {
    const session = database.driver.claims.session(options);
    let last: Job | undefined;
    return {
      ...session,
      async claim(criteria) {
        const jobs = await session.claim(criteria);
        [last] = jobs;
        return jobs;
      },
      async finish(settlements) {
        if (last?.queue === 'one' && refused++ === 0)
          throw new DriverError('Deadlock', 'Somebody was first.');
        return session.finish(settlements);
      },
    };
  };
  const ends: Record<string, ReturnType<typeof gate>> = { one: gate(), two: gate() };
  const work = (queue: string) =>
    defineHandler({
      kind: queue,
      queue,
      payload: z.unknown(),
      run: async () => ends[queue]?.opened,
    });
  const faults: string[] = [];
  const worker = createRowlock({
    driver: { ...database.driver, claims: { ...database.driver.claims, session: claimSession } },
    handlers: [work('one'), work('two')],
    clock,
    log: silent,
  })
    .worker({ concurrency: 3 })
    .on('fault', (error) => faults.push(String(error)));
  await worker.start();
  await settled();
  queues.one?.push({ ...job(1n), queue: 'one', kind: 'one' });
  worker.wake('one');
  await settled();
  // The slot that fails in the first queue comes to this one, and another slot looks while it runs.
  queues.two?.push({ ...job(2n), queue: 'two', kind: 'two' });
  ends.one?.open();
  await settled();
  worker.wake();
  await settled();
  ends.two?.open();
  await settled();
  expect(refused).toBe(1);
  expect(faults.join()).toContain('Somebody was first.');
  await worker.stop();
});
