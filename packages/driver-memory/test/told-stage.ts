import {
  createRowlock,
  type HandlerResult,
  type Json,
  type Logger,
  type RunContext,
  type WorkerEvents,
} from '@rowlock/core';
import { HandClock } from '@rowlock/driver-conformance/internal';
import { z } from 'zod';
import { defineHandler, type MemoryTransaction, memory, memoryDatabase } from '../src/index.js';

export type Run = (context: RunContext<unknown, MemoryTransaction>) => HandlerResult | Promise<HandlerResult>;

export interface EnqueuedJob {
  readonly payload?: Json;
  readonly attempts?: number;
  readonly key?: string;
}

type Hand = ReturnType<ToldStage['hire']>;

/** A database, and workers of one slot whose events and log lines are written down. Time stands still. */
export class ToldStage {
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

  async enqueue(job: EnqueuedJob = {}): Promise<string> {
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
    const handler = defineHandler({
      kind: 'work',
      payload: z.object({}, 'not an object'),
      group: true,
      run,
    });
    const rowlock = createRowlock({ driver, handlers: [handler], clock: this.clock, log: this.#log });
    const worker = rowlock.worker({ name, concurrency: 1 });
    for (const event of EVENTS) worker.on(event, (...given) => this.#tell(`${name} emits ${event}`, given));
    return { driver, rowlock, worker };
  }

  /** Lets a worker do what there is to do. */
  async work(name: string, run: Run, prepare: (hand: Hand) => unknown = () => {}): Promise<void> {
    const hand = this.hire(name, run);
    prepare(hand);
    const rests = new Promise<void>((resolve) => hand.worker.on('idle', resolve));
    await hand.worker.start();
    await rests;
    await hand.worker.stop();
  }

  #tell(what: string, given: unknown): void {
    const text = JSON.stringify(given, (_, value: unknown) => {
      if (value instanceof Error) return String(value);
      return value instanceof Map ? Object.fromEntries(value) : value;
    });
    const known = text.replace(UUID, (id) => this.#placeholder(id)).replace(TIME, '<time>');
    this.#lines.push(`${what} ${known}`);
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
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
