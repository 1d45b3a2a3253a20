import { expect, test } from 'vitest';
import type { ClaimCriteria, Job, Survey } from '../src/driver.js';
import { DriverError } from '../src/index.js';
import { job, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';
import { NO_EARLIER_RUNS, receipt } from './receipt.js';
import { gate, restingWorker, settled } from './resting-worker.js';

test('one job causes two looks at most, and one survey', async () => {
  const { worker, jobs, idle, asked, seen } = await restingWorker();
  jobs.push(job(1n));
  const rests = idle();
  worker.wake();
  await rests;
  await settled();
  expect(seen().ran).toBe(1);
  expect(asked().looks).toBeLessThanOrEqual(2);
  expect(asked().surveys).toBe(1);
  await worker.stop();
});

test('where wake-ups are polled, a slot that has worked looks again: nobody tells of what has come meanwhile', async () => {
  const [end, look] = [gate(), gate()];
  const jobs: Job[] = [];
  const claim = async () => {
    const found = jobs.shift();
    if (found === undefined) look.open();
    return found;
  };
  const { worker, seen } = await restingWorker({
    answers: { claim, pushed: false },
    runs: () => end.opened,
  });
  jobs.push(job(1n));
  worker.wake();
  await look.opened;
  await settled();
  jobs.push(job(2n));
  end.open();
  await settled();
  expect(seen().ran).toBe(2);
  await worker.stop();
});

test.each(['fails', 'hangs'])(
  'a slot that has worked looks again where the look of another one %s',
  async (how) => {
    const [end, hangs] = [gate(), gate()];
    const jobs: Job[] = [];
    let isSound = true;
    const claim = async () => {
      if (isSound) return jobs.shift();
      isSound = true;
      if (how === 'fails') throw new DriverError('Unknown', 'Nobody can look.');
      await hangs.opened;
      return undefined;
    };
    const { clock, worker, seen } = await restingWorker({
      answers: { claim },
      runs: () => {
        isSound = false;
        return end.opened;
      },
    });
    jobs.push(job(1n));
    worker.wake();
    await settled();
    expect(seen().running).toBe(1);
    isSound = true;
    clock.advance(how === 'hangs' ? 49 : 0);
    jobs.push(job(2n));
    clock.advance(how === 'hangs' ? 1 : 0);
    end.open();
    await settled();
    expect(seen().ran).toBe(2);
    hangs.open();
    await worker.stop();
  },
);

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

test('where settlements fail, slots look again after a pause, and tell that the claims were lost', async () => {
  const finish = async (): Promise<never> => {
    throw new DriverError('OutOfResources', 'The disk is full.');
  };
  const { worker, jobs, asked, clock } = await restingWorker({ answers: { session: { finish } } });
  const told = { run: 0, lost: 0, fault: 0 };
  for (const name of ['run', 'lost', 'fault'] as const) worker.on(name, () => (told[name] += 1));
  jobs.push(...Array.from({ length: 500 }, (_, place) => job(BigInt(place + 1))));
  worker.wake();
  await settled();
  const { looks } = asked();
  expect(looks).toBeLessThanOrEqual(5);
  expect(told).toEqual({ run: looks, lost: looks, fault: looks });
  clock.advance(1_000);
  await settled();
  expect(asked().looks).toBeGreaterThan(looks);
  await worker.stop();
});

test('a wake-up during a look that is blocked by another worker is looked at all the same', async () => {
  const refusal = gate();
  const jobs: Job[] = [];
  const lockSiblings = async () => {
    await refusal.opened;
    throw new DriverError('LockNotAvailable', 'Somebody has it.');
  };
  const { worker, seen } = await restingWorker({
    answers: { claim: () => jobs.shift(), session: { lockSiblings } },
  });
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
  const started = async () => {
    if (++writes === 1) {
      await lost.opened;
      throw new DriverError('ConnectionLost', 'The cable was pulled.');
    }
    return NO_EARLIER_RUNS;
  };
  const startRuns = () => receipt(started());
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

test('idle is told after a look at everything: not after one that failed', async () => {
  let fails = false;
  const jobs: Job[] = [];
  const claim = async (): Promise<Job | undefined> => {
    if (fails) throw new DriverError('OutOfResources', 'There are too many connections.');
    return jobs.shift();
  };
  const { worker, clock, seen } = await restingWorker({ answers: { claim } });
  const told: string[] = [];
  worker.on('idle', () => told.push('idle'));
  worker.on('fault', () => told.push('fault'));
  fails = true;
  jobs.push(job(1n));
  worker.wake();
  await settled();
  expect(told).toEqual(['fault']);
  fails = false;
  clock.advance(1_000);
  await settled();
  expect(seen().ran).toBe(1);
  expect(told).toEqual(['fault', 'idle']);
  await worker.stop();
});

test('idle is not told where looking back rests', async () => {
  const jobs: Job[] = [];
  let clock = handClock();
  const claim = async ({ line }: ClaimCriteria): Promise<Job | undefined> => {
    if (line.id > 0n) return undefined;
    clock.advance(30);
    return jobs.shift();
  };
  const resting = await restingWorker({ answers: { claim } });
  ({ clock } = resting);
  const { worker, seen } = resting;
  const look = async (): Promise<void> => {
    worker.wake();
    await settled();
  };
  // Two in a row take long, and the second one comes to a job.
  await look();
  clock.advance(1_000);
  jobs.push(job(5n));
  await look();
  expect(seen().ran).toBe(1);
  const told: number[] = [];
  worker.on('idle', () => told.push(seen().ran));
  // Behind what was reached.
  jobs.push(job(3n));
  await look();
  expect(told).toEqual([]);
  for (let looks = 0; looks < 2; looks++) {
    clock.advance(1_000);
    await settled();
  }
  expect(told).toEqual([2]);
  await worker.stop();
});

test('idle is not told of a worker that stops with work left', async () => {
  const { worker, jobs, clock } = await restingWorker({ concurrency: 1 });
  jobs.push(...[1n, 2n, 3n].map((id) => job(id)));
  const told: string[] = [];
  let stopping: Promise<void> | undefined;
  worker.on('idle', () => told.push('idle'));
  worker.on('run', () => {
    stopping ??= worker.stop();
  });
  worker.wake();
  await settled();
  clock.advance(1_000);
  await stopping;
  expect(jobs.length).toBeGreaterThan(0);
  expect(told).toEqual([]);
});
