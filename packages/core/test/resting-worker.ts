import { z } from 'zod';
import type { Job } from '../src/driver.js';
import { createRowlock, defineHandler } from '../src/index.js';
import { type Answers, emptyDatabase, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';

/** Something that is waited for until a test lets it go on. */
export function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** All that goes on without the clock has gone on. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

interface Given {
  readonly answers?: Partial<Answers>;
  readonly concurrency?: number;
  /** What the handler waits for. */
  readonly runs?: () => Promise<void>;
}

/** A worker that has come to rest, by the hand's clock, on a database that gives the jobs which are put into `jobs`. */
export async function restingWorker({ answers = {}, concurrency = 5, runs = async () => {} }: Given = {}) {
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
  const idle = async (): Promise<void> => {
    let isIdle = false;
    worker.on('idle', () => {
      isIdle = true;
    });
    for (await settled(); !isIdle; await settled()) clock.advance(1);
  };
  const rests = idle();
  await worker.start();
  await rests;
  // A survey that was just now puts off the next.
  clock.advance(25);
  await settled();
  const [looks, surveys] = [database.looks, database.surveys];
  return {
    clock,
    worker,
    jobs,
    /** Resolves when it rests again; time goes on until then. */
    idle,
    /** Since it came to rest. */
    asked: () => ({ looks: database.looks - looks, surveys: database.surveys - surveys }),
    seen: () => ({ running, ran }),
  };
}
