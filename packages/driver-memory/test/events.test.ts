import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import {
  createRowlock,
  defineHandler,
  fail,
  type Json,
  type Logger,
  type RunFunction,
  retry,
  snooze,
  type WorkerEvents,
} from '@rowlock/core';
import { HandClock } from '@rowlock/driver-conformance';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type MemoryTransaction, memory, memoryDatabase } from '../src/index.js';

type Run = RunFunction<unknown, MemoryTransaction>;
type Scene = (stage: Stage) => Promise<void>;

/** Waits for the end that the worker wants. */
const untilAborted: Run = async ({ signal }) => {
  if (!signal.aborted) await once(signal, 'abort');
  signal.throwIfAborted();
};

const SCENES: Readonly<Record<string, Scene>> = {
  complete: ends(() => {}),
  retry: ends(() => retry('not yet', { after: '1h' })),
  fail: ends(() => fail('never')),
  throw: ends(() => {
    throw new Error('thrown');
  }),
  'throw at the last attempt': ends(
    () => {
      throw new Error('thrown');
    },
    { attempts: 1 },
  ),
  snooze: ends(() => snooze('1h')),
  'a payload that is refused': ends(() => {}, { payload: 'no object' }),
  'a group': async (stage) => {
    for (let place = 0; place < 2; place++) await stage.enqueue({ key: 'a' });
    const { worker, rests } = stage.hire('worker', () => {});
    await worker.start();
    await rests();
    await worker.stop();
  },
  cancelled: async (stage) => {
    const publicId = await stage.enqueue();
    const { worker, rests, rowlock } = stage.hire('worker', untilAborted);
    worker.on('run', () => void rowlock.cancel(publicId));
    await worker.start();
    await rests();
    await worker.stop();
  },
  released: async (stage) => {
    await stage.enqueue();
    const { worker } = stage.hire('worker', untilAborted);
    const running = new Promise((resolve) => worker.on('run', resolve));
    await worker.start();
    await running;
    const stopped = worker.stop({ drain: '1s' });
    // By then it waits.
    await setImmediate();
    stage.clock.advance(1_000);
    await stopped;
  },
  crash: async (stage) => {
    await stage.enqueue();
    const { worker: dying, driver } = stage.hire('dying', untilAborted);
    dying.on('run', () => driver.kill());
    const lost = new Promise((resolve) => dying.on('lost', resolve));
    await dying.start();
    await lost;
    const { worker, rests } = stage.hire('worker', () => {});
    await worker.start();
    await rests();
    await worker.stop();
  },
};

test.each(Object.entries(SCENES))('what is told of: %s', async (name, scene) => {
  const stage = new Stage();
  await scene(stage);
  await expect(stage.told).toMatchFileSnapshot(`golden/events/${name.replaceAll(' ', '-')}.txt`);
});

/** A job that a worker brings to its end by itself. */
function ends(run: Run, job: { readonly payload?: Json; readonly attempts?: number } = {}): Scene {
  return async (stage) => {
    await stage.enqueue(job);
    const { worker, rests } = stage.hire('worker', run);
    await worker.start();
    await rests();
    await worker.stop();
  };
}

/** A database, and workers of one slot whose events and log lines are written down. Time stands still. */
class Stage {
  readonly clock = new HandClock();
  readonly #database = memoryDatabase();
  readonly #lines: string[] = [];
  readonly #ids = new Map<string, string>();

  constructor() {
    this.#database.clock.freeze();
  }

  get told(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  async enqueue(
    job: { readonly payload?: Json; readonly attempts?: number; readonly key?: string } = {},
  ): Promise<string> {
    const rowlock = createRowlock({ driver: memory({ database: this.#database }) });
    await rowlock.migrate();
    const { publicId } = await rowlock.enqueue(
      { kind: 'work', payload: z.unknown() },
      { payload: {}, ...job },
    );
    await rowlock.close();
    return publicId;
  }

  hire(name: string, run: Run) {
    const driver = memory({ database: this.#database });
    const handler = defineHandler<z.ZodObject, MemoryTransaction>({
      kind: 'work',
      payload: z.object({}),
      group: true,
      run,
    });
    const rowlock = createRowlock({ driver, handlers: [handler], clock: this.clock, log: this.#log });
    const worker = rowlock.worker({ name, concurrency: 1 });
    for (const event of EVENTS) worker.on(event, (...given) => this.#tell(`${name} emits ${event}`, given));
    const rested = new Promise<void>((resolve) => worker.on('idle', resolve));
    return { driver, rowlock, worker, rests: () => rested };
  }

  #tell(what: string, given: unknown): void {
    const text = JSON.stringify(given, (_, value: unknown) => {
      if (value instanceof Error) return String(value);
      return value instanceof Map ? Object.fromEntries(value) : value;
    });
    this.#lines.push(`${what} ${text.replace(UUID, (id) => this.#placeholder(id))}`);
  }

  /** Ids are random, and the order in which they come is not. */
  #placeholder(id: string): string {
    const known = this.#ids.get(id) ?? `<id ${this.#ids.size + 1}>`;
    this.#ids.set(id, known);
    return known;
  }

  readonly #log: Logger = {
    debug: (fields, message) => this.#tell(`debug: ${message}`, fields),
    info: (fields, message) => this.#tell(`info: ${message}`, fields),
    warn: (fields, message) => this.#tell(`warn: ${message}`, fields),
    error: (fields, message) => this.#tell(`error: ${message}`, fields),
  };
}

const EVENTS = [
  'start',
  'run',
  'settled',
  'released',
  'long',
  'leftBehind',
  'lost',
  'blocked',
  'idle',
  'fault',
  'stop',
] as const satisfies readonly (keyof WorkerEvents)[];

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
