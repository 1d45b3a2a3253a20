import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Job, NewSchedule, ScheduleRow, Survey, WakeUp } from '../src/driver.js';
import { createRowlock, type Driver, defineHandler, type RowlockOptions } from '../src/index.js';
import { Calls } from './calls.js';
import { emptyDatabase, job, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';
import { settled } from './resting-worker.js';
import { scheduleRow } from './schedule-row.js';

const ONE = '00000000-0000-4000-8000-000000000001';
const LIMITS = '{"door":1}';

interface Scene {
  readonly name: string;
  readonly options?: Partial<RowlockOptions<unknown>>;
  readonly answers?: (driver: Driver) => Partial<Driver>;
  /** What happens between start and stop. */
  readonly play: (worker: Playing) => Promise<void>;
}

interface Playing {
  readonly jobs: Job[];
  /** Lets this much time pass, in milliseconds. */
  pass(ms: number): Promise<void>;
  receive(wakeUp: WakeUp): Promise<void>;
  /** The next surveys find this. */
  find(survey: Partial<Survey>): void;
}

const SCENES: readonly Scene[] = [
  {
    name: 'an empty database',
    play: async ({ pass }) => {
      await pass(25);
      await pass(5_000);
      await pass(120_000);
    },
  },
  {
    name: 'one job',
    play: async ({ jobs, receive, pass }) => {
      await pass(25);
      jobs.push({ ...job(7n), publicId: ONE });
      await receive({ queue: 'default' });
      await pass(200);
      await pass(2_000);
    },
  },
  {
    name: 'each subject',
    options: {
      retention: { complete: '1d' },
      schedules: { nightly: { handler: work(), payload: {}, every: '1d' } },
    },
    answers: ({ jobs, workers, admission, history }) => ({
      followers: { admit: async () => ({ queues: ['later'], last: null, skipped: false, refused: [] }) },
      insight: {
        backlog: async () => [],
        facts: async () => ({ now: new Date(0), jobs: [], more: false }),
        runs: async () => [],
      },
      workers: { ...workers, list: async () => [], notify: async () => {} },
      history: { ...history, takePruneTurn: async () => true },
      jobs: {
        ...jobs,
        move: async () => [{ outcome: 'moved' }],
        entries: async () => ({ jobs: [], next: null }),
      },
      admission: {
        ...admission,
        parts: async () => ({ parts: [{ queue: 'default', limits: LIMITS }], last: null }),
      },
    }),
    play: async ({ jobs, receive, find, pass }) => {
      await pass(25);
      await receive({ schedule: 'nightly' });
      await receive({ after: ONE });
      await pass(50);
      find({ limited: true, waiting: true, followers: true, nextTickMs: 0, leased: true });
      await receive({});
      await pass(25);
      await receive({ limit: 'door' });
      await receive({ limit: 'gate' });
      find({});
      jobs.push({ ...job(7n), publicId: ONE });
      await receive({ queue: 'default' });
      await receive({ cancel: ONE, redrives: 0 });
      await pass(250);
      await pass(2_000);
      await pass(120_000);
      await receive({});
      await receive({ cancel: ONE });
    },
  },
];

function work() {
  return defineHandler({ kind: 'work', payload: z.unknown(), run: () => {} });
}

test.each(SCENES)(
  'the calls of a worker to its driver, from start to stop: $name',
  async ({ name, options, answers, play }) => {
    const calls = new Calls();
    const clock = handClock();
    const jobs: Job[] = [];
    const wakeUps: WakeUp[] = [];
    let survey = NOTHING;
    let arrived = (): void => {};
    let isOver = false;
    const { driver } = emptyDatabase({
      claim: () => jobs.shift(),
      survey: () => survey,
      wakeUps: {
        async *[Symbol.asyncIterator]() {
          while (!isOver) {
            yield* wakeUps.splice(0);
            await new Promise<void>((resolve) => {
              arrived = resolve;
            });
          }
        },
      },
    });
    const { schedules } = driver;
    const rows: ScheduleRow[] = [];
    const known = {
      ...schedules,
      find: async () => ({ now: 0, schedules: rows }),
      set: async (given: readonly NewSchedule[]) => void rows.push(...given.map((each) => scheduleRow(each))),
    };
    const log = (level: string) => (_: object, message: string) => calls.note(`# ${level}: ${message}`);
    const rowlock = createRowlock({
      driver: calls.of({ ...driver, schedules: known, ...answers?.(driver) }),
      handlers: [work()],
      clock,
      log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
      ...options,
    });
    const worker = rowlock.worker({ name: 'mill', concurrency: 1 });
    for (const event of ['start', 'idle', 'fault', 'stop'] as const)
      worker.on(event, () => calls.note(`# event: ${event}`));
    calls.note('--- start');
    await worker.start();
    await settled();
    await play({
      jobs,
      async pass(ms) {
        calls.note(`--- ${ms} ms`);
        clock.advance(ms);
        await settled();
      },
      async receive(wakeUp) {
        calls.note(`--- ${JSON.stringify(wakeUp).replace(ONE, '<one>')}`);
        wakeUps.push(wakeUp);
        arrived();
        await settled();
      },
      find(found) {
        calls.note(`--- surveys find ${JSON.stringify(found)}`);
        survey = { ...NOTHING, ...found };
      },
    });
    calls.note('--- stop');
    const stopped = worker.stop();
    await settled();
    isOver = true;
    arrived();
    await stopped;
    await expect(calls.text).toMatchFileSnapshot(`golden/calls/${name.replaceAll(' ', '-')}.txt`);
  },
);
