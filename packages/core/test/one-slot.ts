import { z } from 'zod';
import type { Job } from '../src/driver.js';
import { createRowlock, defineHandler, type HandlerOptions, type RunContext } from '../src/index.js';
import { type Answers, emptyDatabase, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';
import { settled } from './resting-worker.js';

interface Given extends Partial<Pick<HandlerOptions<z.ZodUnknown>, 'batch' | 'claim' | 'timeout'>> {
  readonly jobs: Job[];
  readonly answers?: Partial<Answers>;
  readonly run?: (context: RunContext<unknown>) => void | Promise<void>;
}

/** Starts a worker with one slot on a database with these jobs. Resolves when nothing goes on without the clock. */
export async function oneSlot({ jobs, answers = {}, run = () => {}, ...policy }: Given) {
  const clock = handClock();
  const { driver } = emptyDatabase({ claim: () => jobs.shift(), survey: () => NOTHING, ...answers });
  const handler = defineHandler({ kind: 'work', payload: z.unknown(), run, ...policy });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const worker = createRowlock({ driver, handlers: [handler], clock, log }).worker({ concurrency: 1 });
  const emitted: string[] = [];
  for (const name of ['run', 'settled', 'released', 'lost'] as const)
    worker.on(name, (...[{ jobs: ids }]) => void emitted.push(`${name} ${ids}`));
  worker.on('fault', (error) => void emitted.push(`fault ${error}`));
  await worker.start();
  await settled();
  return { clock, worker, emitted };
}
