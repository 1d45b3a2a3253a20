import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  createRowlock,
  DriverError,
  defineHandler,
  type Graves,
  type Job,
  type Reclaimed,
  type Survey,
} from '../src/index.js';
import { type Answers, emptyDatabase, job, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';

/** Something that is waited for until a test lets it go on. */
function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** All that goes on without the clock has gone on. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

interface Given {
  readonly answers?: Partial<Answers>;
  readonly concurrency?: number;
  /** What the handler waits for. */
  readonly runs?: () => Promise<void>;
}

/** A worker that has come to rest, by the hand's clock, on a database that gives the jobs which are put into `jobs`. */
async function restingWorker({ answers = {}, concurrency = 5, runs = async () => {} }: Given = {}) {
  const clock = handClock();
  const jobs: Job[] = [];
  const database = emptyDatabase({ claim: () => jobs.shift(), survey: () => NOTHING, ...answers });
  let running = 0;
  let ran = 0;
  const handler = defineHandler({
    kind: 'work',
    payload: z.unknown(),
    async run() {
      running += 1;
      await runs();
      running -= 1;
      ran += 1;
    },
  });
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const rowlock = createRowlock({ driver: database.driver, handlers: [handler], clock, log: silent });
  const worker = rowlock.worker({ concurrency });
  const idle = () => new Promise<void>((resolve) => worker.on('idle', resolve));
  const rests = idle();
  await worker.start();
  await rests;
  const [looks, surveys] = [database.looks, database.surveys];
  return {
    clock,
    worker,
    jobs,
    idle,
    /** Since it came to rest. */
    asked: () => ({ looks: database.looks - looks, surveys: database.surveys - surveys }),
    seen: () => ({ running, ran }),
  };
}

test('one job causes three looks at most, and one survey', async () => {
  const { worker, jobs, idle, asked, seen } = await restingWorker();
  jobs.push(job(1n));
  const rests = idle();
  worker.wake();
  await rests;
  await settled();
  expect(seen().ran).toBe(1);
  expect(asked().looks).toBeLessThanOrEqual(3);
  expect(asked().surveys).toBe(1);
  await worker.stop();
});

test('while one looks, a wake-up opens no further slot, and none is lost', async () => {
  const answer = gate();
  let looks = 0;
  const jobs: Job[] = [];
  const claim = async (): Promise<Job | undefined> => {
    // The look after the first one is on its way, and its answer does not have the job.
    if (++looks === 2) await answer.opened;
    else return jobs.shift();
  };
  const { worker, idle, asked, seen } = await restingWorker({ answers: { claim } });
  const rests = idle();
  worker.wake();
  jobs.push(job(1n));
  for (let wakeUps = 0; wakeUps < 10; wakeUps++) worker.wake();
  await settled();
  expect(asked().looks).toBe(1);
  answer.open();
  await rests;
  expect(seen().ran).toBe(1);
  await worker.stop();
});

test('a wake-up during a look is looked at before the survey', async () => {
  const [look, answer] = [gate(), gate()];
  let looks = 0;
  let surveys = 0;
  const jobs: Job[] = [];
  const claim = async (): Promise<Job | undefined> => {
    if (++looks === 2) await look.opened;
    else return jobs.shift();
  };
  const survey = async (): Promise<Survey> => {
    if (++surveys === 2) await answer.opened;
    return NOTHING;
  };
  const { worker, seen } = await restingWorker({ answers: { claim, survey } });
  worker.wake();
  jobs.push(job(1n));
  worker.wake();
  look.open();
  await settled();
  expect(seen().ran).toBe(1);
  answer.open();
  await worker.stop();
});

test('a burst of slow jobs takes all slots by one wake-up', async () => {
  const end = gate();
  const { worker, jobs, idle, seen } = await restingWorker({ concurrency: 20, runs: () => end.opened });
  for (let id = 1n; id <= 30n; id++) jobs.push(job(id));
  const rests = idle();
  worker.wake();
  await settled();
  expect(seen().running).toBe(20);
  end.open();
  await rests;
  expect(seen().ran).toBe(30);
  await worker.stop();
});

test('a look that hangs keeps the others from theirs for 50 ms at most', async () => {
  const hangs = gate();
  let looks = 0;
  const jobs: Job[] = [];
  const claim = async (): Promise<Job | undefined> => {
    if (++looks === 2) await hangs.opened;
    return jobs.shift();
  };
  const { clock, worker, asked, seen } = await restingWorker({ answers: { claim } });
  worker.wake();
  jobs.push(job(1n));
  worker.wake();
  clock.advance(49);
  await settled();
  expect(asked().looks).toBe(1);
  clock.advance(1);
  await settled();
  expect(seen().ran).toBe(1);

  // And no longer at all what is told later.
  jobs.push(job(2n));
  worker.wake();
  await settled();
  expect(seen().ran).toBe(2);
  hangs.open();
  await worker.stop();
});

test('beside a look that hangs one looks at a time', async () => {
  const answer = gate();
  let looks = 0;
  const claim = async (): Promise<undefined> => {
    if (++looks > 1) await answer.opened;
  };
  const { clock, worker, asked } = await restingWorker({ answers: { claim } });
  for (const [expected, ms] of [
    [1, 50],
    [2, 30],
    [2, 20],
    [3, 0],
  ] as const) {
    for (let wakeUps = 0; wakeUps < 10; wakeUps++) worker.wake();
    await settled();
    expect(asked().looks).toBe(expected);
    clock.advance(ms);
  }
  answer.open();
  await worker.stop();
});

test('a wake-up during a look that fails is looked at all the same', async () => {
  const answer = gate();
  let looks = 0;
  const jobs: Job[] = [];
  const claim = async (): Promise<Job | undefined> => {
    if (++looks === 2) {
      await answer.opened;
      throw new DriverError('ConnectionLost', 'The cable was pulled.');
    }
    return jobs.shift();
  };
  const { worker, seen } = await restingWorker({ answers: { claim } });
  worker.wake();
  jobs.push(job(1n));
  worker.wake();
  answer.open();
  await settled();
  expect(seen().ran).toBe(1);
  await worker.stop();
});

test('a wake-up during a look that is blocked by another worker is looked at all the same', async () => {
  const refusal = gate();
  const jobs: Job[] = [];
  const lockSiblings = async () => {
    await refusal.opened;
    throw new DriverError('LockNotAvailable', 'Somebody has it.');
  };
  const { worker, seen } = await restingWorker({ answers: { claim: () => jobs.shift(), lockSiblings } });
  jobs.push(job(1n, 'busy'));
  worker.wake();
  await settled();
  jobs.push(job(2n));
  worker.wake();
  refusal.open();
  await settled();
  expect(seen().ran).toBe(1);
  await worker.stop();
});

test('a wake-up before a run that never begins is looked at all the same', async () => {
  const lost = gate();
  let writes = 0;
  const startRuns = async () => {
    if (++writes === 1) {
      await lost.opened;
      throw new DriverError('ConnectionLost', 'The cable was pulled.');
    }
    return [];
  };
  const { worker, jobs, seen } = await restingWorker({ answers: { startRuns } });
  jobs.push(job(1n));
  worker.wake();
  await settled();
  jobs.push(job(2n));
  worker.wake();
  lost.open();
  await settled();
  expect(seen().ran).toBe(1);
  await worker.stop();
});

test('a wake-up while the last slot makes the survey is looked at at once', async () => {
  const answer = gate();
  let surveys = 0;
  const survey = async (): Promise<Survey> => {
    if (++surveys === 2) await answer.opened;
    return NOTHING;
  };
  const { worker, jobs, seen } = await restingWorker({ answers: { survey } });
  worker.wake();
  await settled();
  expect(surveys).toBe(2);
  jobs.push(job(1n));
  worker.wake();
  await settled();
  expect(seen().ran).toBe(1);
  answer.open();
  await worker.stop();
});

test('a slot that makes the survey while another begins a run looks for the jobs beside that one', async () => {
  const [end, answer] = [gate(), gate()];
  let surveys = 0;
  const survey = async (): Promise<Survey> => {
    if (++surveys === 2) await answer.opened;
    return NOTHING;
  };
  const { worker, jobs, seen } = await restingWorker({
    concurrency: 2,
    answers: { survey },
    runs: () => end.opened,
  });
  worker.wake();
  await settled();
  jobs.push(job(1n), job(2n));
  worker.wake();
  await settled();
  expect(seen().running).toBe(1);
  answer.open();
  await settled();
  expect(seen().running).toBe(2);
  end.open();
  await worker.stop();
});

test('a look that hung while another slot began a run is followed by one for the jobs beside that one', async () => {
  const [end, hangs] = [gate(), gate()];
  let looks = 0;
  const jobs: Job[] = [];
  const claim = async (): Promise<Job | undefined> => {
    if (++looks === 2) await hangs.opened;
    else return jobs.shift();
  };
  const { clock, worker, seen } = await restingWorker({
    concurrency: 2,
    answers: { claim },
    runs: () => end.opened,
  });
  worker.wake();
  clock.advance(50);
  jobs.push(job(1n), job(2n));
  worker.wake();
  await settled();
  expect(seen().running).toBe(1);
  hangs.open();
  await settled();
  expect(seen().running).toBe(2);
  end.open();
  await worker.stop();
});

test.each([1, 2, 3])('with %i slots, what is told while all of them run is run', async (concurrency) => {
  const ends = Array.from({ length: concurrency }, gate);
  let begun = 0;
  const runs = async () => ends[begun++]?.opened;
  const { worker, jobs, idle, seen } = await restingWorker({ concurrency, runs });
  for (let id = 1; id <= concurrency; id++) jobs.push(job(BigInt(id)));
  const rests = idle();
  worker.wake();
  await settled();
  expect(seen().running).toBe(concurrency);
  jobs.push(job(100n));
  worker.wake();
  for (const end of ends) end.open();
  await rests;
  expect(seen().ran).toBe(concurrency + 1);
  await worker.stop();
});

test('after a job a worker looks once more if the survey says that something waits', async () => {
  let surveys = 0;
  const jobs: Job[] = [];
  // Behind the line: seen by the survey before any look.
  const survey = (): Survey => {
    if (++surveys === 2) jobs.push(job(1n));
    return { ...NOTHING, waiting: jobs.length > 0 };
  };
  const { worker, idle, seen } = await restingWorker({ answers: { claim: () => jobs.shift(), survey } });
  jobs.push(job(2n));
  const rests = idle();
  worker.wake();
  await rests;
  expect(seen().ran).toBe(2);
  await worker.stop();
});

test('a long run puts the survey off for 25 ms', async () => {
  const end = gate();
  const { clock, worker, jobs, asked } = await restingWorker({ runs: () => end.opened });
  jobs.push(job(1n));
  worker.wake();
  await settled();
  clock.advance(24);
  await settled();
  expect(asked().surveys).toBe(0);
  clock.advance(1);
  await settled();
  expect(asked().surveys).toBe(1);
  end.open();
  await worker.stop();
});

test('delayed jobs become due while a long run goes on', async () => {
  const ends = [gate()];
  let delayed: Job | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  const jobs: Job[] = [];
  let now = () => 0;
  const survey = (): Survey => {
    if (delayed === undefined) return NOTHING;
    if (now() < dueAt) return { ...NOTHING, nextDueMs: dueAt - now() };
    jobs.push(delayed);
    delayed = undefined;
    return { ...NOTHING, promoted: 1 };
  };
  const runs = async () => ends.shift()?.opened;
  const [end] = ends;
  const { clock, worker, seen } = await restingWorker({
    answers: { claim: () => jobs.shift(), survey },
    runs,
  });
  now = clock.now;
  delayed = job(2n);
  dueAt = 1_000;
  jobs.push(job(1n));
  worker.wake();
  await settled();
  // The survey that the run has put off, the time, and the survey after that.
  for (const ms of [25, 975, 25]) {
    expect(seen().ran).toBe(0);
    clock.advance(ms);
    await settled();
  }
  expect(seen()).toEqual({ running: 1, ran: 1 });
  end?.open();
  await worker.stop();
});

test('a survey beside the runs that fails is told of, and made again', async () => {
  const end = gate();
  let surveys = 0;
  const survey = async (): Promise<Survey> => {
    if (++surveys === 2) throw new DriverError('ConnectionLost', 'The cable was pulled.');
    return NOTHING;
  };
  const { clock, worker, jobs } = await restingWorker({ answers: { survey }, runs: () => end.opened });
  const faults: unknown[] = [];
  worker.on('fault', (error) => faults.push(error));
  jobs.push(job(1n));
  worker.wake();
  await settled();
  // The survey, the longest pause after a fault, and the survey after that look.
  for (const ms of [25, 1_000, 25]) {
    clock.advance(ms);
    await settled();
  }
  expect(faults).toHaveLength(1);
  expect(surveys).toBe(3);
  end.open();
  await worker.stop();
});

test('stop waits for a survey beside the runs', async () => {
  const [end, answer] = [gate(), gate()];
  let surveys = 0;
  const survey = async (): Promise<Survey> => {
    if (++surveys === 2) await answer.opened;
    return NOTHING;
  };
  const { clock, worker, jobs, seen } = await restingWorker({ answers: { survey }, runs: () => end.opened });
  jobs.push(job(1n));
  worker.wake();
  await settled();
  clock.advance(25);
  await settled();
  expect(surveys).toBe(2);
  let stopped = false;
  const stopping = worker.stop().then(() => {
    stopped = true;
  });
  end.open();
  await settled();
  expect({ stopped, ran: seen().ran }).toEqual({ stopped: false, ran: 1 });
  answer.open();
  await stopping;
});

/** A worker both of whose slots run until `end` is opened, and what it asked to put back since. */
async function busyWorker(reclaim: (graves: Graves) => Promise<Reclaimed>) {
  const end = gate();
  const asked: (readonly string[])[] = [];
  const answers: Partial<Answers> = {
    reclaim(graves) {
      asked.push(graves.dead);
      return reclaim(graves);
    },
  };
  const hand = await restingWorker({ answers, concurrency: 2, runs: () => end.opened });
  hand.jobs.push(job(1n), job(2n));
  hand.worker.wake();
  await settled();
  expect(hand.seen().running).toBe(2);
  const pass = async (ms: number) => {
    hand.clock.advance(ms);
    await settled();
  };
  return { ...hand, end, asked, pass };
}

test('while all slots run, what a dead worker has leased is put back when it was seen without a session for a second', async () => {
  const { worker, end, asked, pass } = await busyWorker(async ({ dead }) => ({
    reclaimed: dead.length,
    lapsed: ['w4'],
  }));
  await pass(249);
  expect(asked).toEqual([]);
  await pass(1);
  for (let looks = 1; looks <= 4; looks++) await pass(250);
  expect(asked).toEqual([[], [], [], [], ['w4']]);
  end.open();
  await worker.stop();
});

test('while all slots run, there is one look for dead workers at a time, one in 250 ms, and none once the worker stops', async () => {
  const answer = gate();
  const { worker, end, asked, pass } = await busyWorker(async () => {
    if (asked.length === 3) await answer.opened;
    return { reclaimed: 0, lapsed: [] };
  });
  for (let ms = 0; ms < 749; ms += 7) await pass(7);
  expect(asked).toHaveLength(2);
  for (const ms of [1_000, 1_000, 1_000]) await pass(ms);
  expect(asked).toHaveLength(3);
  answer.open();
  await settled();
  await pass(250);
  expect(asked).toHaveLength(4);
  const stopped = worker.stop();
  await settled();
  await pass(1_000);
  end.open();
  await stopped;
  await pass(1_000);
  expect(asked).toHaveLength(4);
});

test('while all slots run, a look for dead workers that fails is told of, and made again', async () => {
  const { worker, end, asked, pass } = await busyWorker(async () => {
    if (asked.length === 1) throw new DriverError('ConnectionLost', 'The cable was pulled.');
    return { reclaimed: 0, lapsed: [] };
  });
  const faults: unknown[] = [];
  worker.on('fault', (error) => faults.push(error));
  // The look, the longest pause after a fault, and the look after that.
  for (const ms of [250, 1_000, 250]) await pass(ms);
  expect(faults).toHaveLength(1);
  expect(asked).toHaveLength(2);
  end.open();
  await worker.stop();
});

test('where no slot works, nobody looks for dead workers when nothing is leased', async () => {
  const asked: unknown[] = [];
  const reclaim = async (graves: Graves): Promise<Reclaimed> => {
    asked.push(graves);
    return { reclaimed: 0, lapsed: [] };
  };
  const {
    clock,
    worker,
    jobs,
    idle,
    asked: queried,
  } = await restingWorker({ answers: { reclaim }, concurrency: 1 });
  jobs.push(job(1n));
  const rests = idle();
  worker.wake();
  await rests;
  const { looks } = queried();
  for (let quarter = 0; quarter < 40; quarter++) {
    clock.advance(250);
    await settled();
  }
  expect({ asked, looks: queried().looks }).toEqual({ asked: [], looks });
  await worker.stop();
});

test('where each answer takes long, what a dead worker has leased is put back as well', async () => {
  let leased = true;
  const slow = <Answer>(answer: Answer): Answer => {
    clock.advance(150);
    return answer;
  };
  const answers: Partial<Answers> = {
    claim: () => slow(jobs.shift()),
    survey: () => slow({ ...NOTHING, leased }),
    reclaim: async ({ dead }) => {
      leased &&= !dead.includes('w4');
      return slow({ reclaimed: dead.length, lapsed: leased ? ['w4'] : [] });
    },
  };
  let clock = handClock();
  const jobs: Job[] = [];
  const hand = await restingWorker({ answers });
  clock = hand.clock;
  jobs.push(job(1n));
  hand.worker.wake();
  for (let looks = 0; looks < 40 && leased; looks++) {
    await settled();
    clock.advance(100);
  }
  expect(leased).toBe(false);
  await hand.worker.stop();
});

test('a queue in which each look fails does not keep a worker from the others', async () => {
  const ran = gate();
  const work = (queue: string) =>
    defineHandler({ kind: queue, queue, payload: z.unknown(), run: () => ran.open() });
  const jobs = [{ ...job(1n), queue: 'two', kind: 'two' }];
  const { driver } = emptyDatabase({
    claim({ queue }) {
      if (queue !== 'two') throw new DriverError('Unknown', `Nobody can look at ${queue}.`);
      return jobs.shift();
    },
    survey: () => NOTHING,
  });
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const handlers = [work('one'), work('two'), work('three')];
  const worker = createRowlock({ driver, handlers, clock: handClock(), log: silent }).worker();
  const faults: string[] = [];
  worker.on('fault', (error) => faults.push(String(error)));
  await worker.start();
  await ran.opened;
  await settled();
  expect(faults.join()).toMatch(/one.*three|three.*one/);
  await worker.stop();
});

test('behind keys that are blocked a worker finds what is free, however long it takes to pass them', async () => {
  const clock = handClock();
  const blocked = Array.from({ length: 60 }, (_, place) => job(BigInt(place + 1), `key ${place}`));
  const all = [...blocked, job(61n)];
  const ran = gate();
  const { driver } = emptyDatabase({
    claim({ line, busy }) {
      clock.advance(13);
      return all.find(({ id, key }) => id > line.id && !busy.includes(key ?? ''));
    },
    lockSiblings: async ({ keys }) => {
      clock.advance(13);
      return all
        .filter(({ key }) => keys.includes(key ?? ''))
        .map((each) => ({ ...each, status: 'in-progress' as const }));
    },
    survey: () => ({ ...NOTHING, waiting: true }),
  });
  const handler = defineHandler({ kind: 'work', payload: z.unknown(), run: () => ran.open() });
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const worker = createRowlock({ driver, handlers: [handler], clock, log: silent }).worker({
    concurrency: 2,
  });
  await worker.start();
  let hasRun = false;
  void ran.opened.then(() => {
    hasRun = true;
    all.pop();
  });
  for (let turns = 0; turns < 40 && !hasRun; turns++) {
    await settled();
    clock.advance(100);
  }
  expect(hasRun).toBe(true);
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
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
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
