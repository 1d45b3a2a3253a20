import type { Rowlock } from '@rowlock/core';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { QUEUE } from '../captures.js';
import type { OrderStore } from '../data/order-store.js';
import { WALKS } from '../handlers/spread.js';
import type { StatusView } from './views.js';

const EVERY_MS = 1_000;
/** How often the orders are counted: the number is large, and changes little. */
const COUNT_EVERY_MS = 10_000;
/** Open streams of one process. */
const MOST_STREAMS = 200;

/** How far behind the index is: looked up once a second for all who watch, and not at all while nobody does. */
export class StatusFeed {
  readonly #look: () => Promise<StatusView>;
  readonly #log: Logger;
  readonly #streams = new Set<Response>();
  #timer: NodeJS.Timeout | undefined;

  constructor(look: () => Promise<StatusView>, log: Logger) {
    this.#look = look;
    this.#log = log;
  }

  /** Streams server-sent events: `status`, or `away` while the database is away. @returns whether there is room. */
  open(res: Response): boolean {
    if (this.#streams.size >= MOST_STREAMS) return false;
    res.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' }).flushHeaders();
    res.write('retry: 1000\n\n');
    this.#streams.add(res);
    res.once('close', () => this.#streams.delete(res));
    this.#timer ??= setTimeout(() => void this.#round(), 0);
    return true;
  }

  close(): void {
    for (const stream of this.#streams) stream.end();
  }

  async #round(): Promise<void> {
    const text = await this.#look().then(
      (status) => `event: status\ndata: ${JSON.stringify(status)}\n\n`,
      (error: unknown) => {
        this.#log.warn({ err: error }, 'the status cannot be read');
        return 'event: away\ndata: {}\n\n';
      },
    );
    // A slow reader gets the next one instead.
    for (const stream of this.#streams) if (!stream.writableNeedDrain) stream.write(text);
    this.#timer = this.#streams.size > 0 ? setTimeout(() => void this.#round(), EVERY_MS) : undefined;
  }
}

/** Looks the status up. */
export function statusOf<Tx>(rowlock: Rowlock<Tx>, store: OrderStore<Tx>): () => Promise<StatusView> {
  let indexed = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - countedAt > COUNT_EVERY_MS) {
      countedAt = performance.now();
      indexed = await store.size();
    }
    const [{ lanes }, newest] = await Promise.all([
      rowlock.insight.stats(),
      rowlock.jobs.list({ queue: QUEUE, limit: 1 }),
    ]);
    const latest = newest.jobs.map(({ publicId, status }) => `${publicId} ${status}`).join();
    const own = lanes.filter(({ queue }) => queue === QUEUE || queue === WALKS);
    const waiting = own.reduce((sum, { waiting: { count }, running }) => sum + count + running, 0);
    const behindMs = Math.max(...own.map(({ oldestDueMs }) => oldestDueMs ?? 0), 0);
    return { indexed, waiting, latest, behindMs };
  };
}
