import { expect, test } from 'vitest';
import type { Job, Survey, WakeUp } from '../src/driver.js';
import { DriverError } from '../src/index.js';
import { job, NOTHING } from './empty-database.js';
import { gate, restingWorker, settled } from './resting-worker.js';

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

test('a poll costs an idle worker one survey, and a look where that finds that something waits', async () => {
  const polls = [gate(), gate()];
  const due = gate();
  async function* wakeUps(): AsyncGenerator<WakeUp> {
    for (const { opened } of polls) {
      await opened;
      yield { poll: true };
    }
    await due.opened;
  }
  const jobs: Job[] = [];
  const survey = (): Survey => ({ ...NOTHING, waiting: jobs.length > 0, unlimited: jobs.length > 0 });
  const answers = { claim: () => jobs.shift(), survey, wakeUps: wakeUps() };
  const { clock, worker, idle, asked, seen } = await restingWorker({ answers });
  const poll = async (place: number): Promise<void> => {
    const rests = idle();
    polls[place]?.open();
    await settled();
    clock.advance(25);
    await rests;
  };
  await poll(0);
  expect(asked()).toEqual({ looks: 0, surveys: 1 });
  jobs.push(job(1n));
  await poll(1);
  expect(seen().ran).toBe(1);
  due.open();
  await worker.stop();
});

test('a poll looks itself while the survey of the one before hangs', async () => {
  const [first, second, hangs] = [gate(), gate(), gate()];
  async function* wakeUps(): AsyncGenerator<WakeUp> {
    await first.opened;
    yield { poll: true };
    await second.opened;
    yield { poll: true };
  }
  let surveys = 0;
  const survey = async (): Promise<Survey> => {
    if (++surveys === 2) await hangs.opened;
    return NOTHING;
  };
  const jobs: Job[] = [];
  const { clock, worker, seen } = await restingWorker({
    answers: { claim: () => jobs.shift(), survey, wakeUps: wakeUps() },
  });
  first.open();
  await settled();
  clock.advance(25);
  await settled();
  jobs.push(job(1n));
  second.open();
  await settled();
  expect(seen().ran).toBe(1);
  hangs.open();
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

test('a survey that hangs keeps no slot from its work', async () => {
  let surveys = 0;
  const hangs = gate();
  const survey = async (): Promise<Survey> => {
    if (++surveys === 2) await hangs.opened;
    return NOTHING;
  };
  const { clock, worker, jobs, seen } = await restingWorker({ answers: { survey }, concurrency: 2 });
  for (let round = 1; round <= 20; round++) {
    jobs.push(job(BigInt(round)));
    worker.wake();
    await settled();
    clock.advance(100);
    await settled();
    expect(seen().ran).toBe(round);
  }
  hangs.open();
  await worker.stop();
});

test('a worker is not idle as long as it owes a look at what a put-off survey may find', async () => {
  const jobs: Job[] = [];
  const survey = (): Survey => ({ ...NOTHING, waiting: jobs.length > 0 });
  let again = 1;
  const ends = [gate(), gate()];
  const { clock, worker } = await restingWorker({
    answers: { claim: () => jobs.shift(), survey },
    concurrency: 2,
    runs: async () => {
      const run = ends.shift();
      await run?.opened;
      if (again-- > 0) jobs.push(job(1n));
    },
  });
  const idle: number[] = [];
  worker.on('idle', () => idle.push(jobs.length));
  const [first] = ends;
  jobs.push(job(1n));
  worker.wake();
  await settled();
  clock.advance(25);
  await settled();
  first?.open();
  ends.at(-1)?.open();
  for (let ms = 0; ms < 200; ms += 5) {
    await settled();
    clock.advance(5);
  }
  expect(idle.length).toBeGreaterThan(0);
  expect(idle).not.toContain(1);
  await worker.stop();
});
