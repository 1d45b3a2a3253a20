import type { Driver, Uses } from '../driver/driver.js';
import type { Part, PartContext } from '../worker/part.js';
import type { UnservedJobs } from '../worker/report/events.js';
import { News } from '../worker/report/news.js';
import { isServed, servedIn } from './served.js';

/** How often an idle worker looks at most, in milliseconds. */
const EVERY_MS = 60_000;

/** How long a job must have been due, in milliseconds: workers may just be starting. */
const GRACE_MS = 10_000;

/** How often the same jobs are reported at most, in milliseconds. */
const AGAIN_MS = 3_600_000;

/** How many waiting jobs of a queue are looked at. Jobs that nobody serves stay at its front. */
const MOST = 100;

export interface UnservedParts extends Pick<PartContext, 'clock' | 'log' | 'events' | 'worker'> {
  readonly driver: Pick<Driver, 'insight'> & Uses<{ workers: 'list' }>;
}

/** Warns of due jobs of queues or kinds that nobody serves. A worker looks when it is idle, for all queues at once. */
export class Unserved implements Part {
  readonly #parts: UnservedParts;
  readonly #news: News;
  #nextAt: number;
  #look: Promise<void> = Promise.resolve();

  constructor(parts: UnservedParts) {
    this.#parts = parts;
    this.#news = new News(parts.clock, AGAIN_MS);
    this.#nextAt = parts.clock.now() + EVERY_MS;
  }

  idle(): void {
    const { clock, log } = this.#parts;
    const now = clock.now();
    if (now < this.#nextAt) return;
    this.#nextAt = now + EVERY_MS;
    this.#look = this.#warn().catch((error: unknown) => {
      log.debug({ err: error }, 'the look for unserved jobs failed');
    });
  }

  async stop(): Promise<void> {
    this.#nextAt = Number.POSITIVE_INFINITY;
    await this.#look;
  }

  async #warn(): Promise<void> {
    const { driver, log, events, worker } = this.#parts;
    const backlog = (await driver.insight?.backlog(MOST)) ?? [];
    const workers = (await driver.workers.list()).filter(({ alive }) => alive);
    for (const lane of backlog) {
      const { queue, kind, due: jobs, oldestDueMs } = lane;
      if (oldestDueMs === null || oldestDueMs < GRACE_MS || isServed(lane, workers)) continue;
      if (!this.#news.isNew(`${queue}\n${kind}`)) continue;
      const unserved: UnservedJobs = { queue, kind, jobs, oldestDueMs, servedIn: servedIn(kind, workers) };
      log.warn({ ...unserved, worker }, 'no live worker serves these due jobs');
      events.emit('unserved', unserved);
    }
  }
}
