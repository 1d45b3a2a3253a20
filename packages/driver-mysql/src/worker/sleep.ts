import { answerWithin, type WakeUp } from '@rowlock/core/driver';
import type { Connection } from 'mysql2/promise';
import { query } from '../query.js';
import type { Statements } from '../statements.js';
import type { Bell } from './bell.js';
import type { EndableWait } from './endable-wait.js';
import { isInterruption } from './interruption.js';
import { pollMs } from './poll.js';
import type { WorkerLock } from './worker-lock.js';

/** How long one statement sleeps at most, in milliseconds. The server may take as long to notice that its client is gone. */
const SLEEP_MS = 250;

/** How long the first sleep after an interruption is, in milliseconds. The ring for an interruption follows after some 50 ms: see Ringer. */
const NAP_MS = 100;

/** How long the sleeps stay as short as polls, in milliseconds, after a ring without an interruption. */
const SHORT_FOR_MS = 60_000;

/** How long the server may take to answer, beyond the sleep, in milliseconds. */
const ANSWER_MS = 5_000;

interface Parts {
  readonly workerId: string;
  readonly sql: Statements;
  readonly bell: Bell;
  readonly lock: WorkerLock;
  readonly wait: EndableWait;
}

/** A worker's session that sleeps on the server, until a producer interrupts it. */
export class Sleep {
  readonly #parts: Parts;
  #isAsleep = false;
  /** Whether the last sleep was interrupted. */
  #isInterrupted = false;
  /** Until when rings without an interruption are expected. Another account, or a procedure, cannot interrupt this session. */
  #shortUntil = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A session that sleeps answers no other statement. */
  get isAsleep(): boolean {
    return this.#isAsleep;
  }

  /** Sleeps until it is interrupted, the bell has been rung, or `leftMs` milliseconds are over. @throws DriverError */
  async hear(client: Connection, leftMs: number, isOver: () => boolean): Promise<readonly WakeUp[]> {
    const { bell, workerId } = this.#parts;
    const end = await this.#sleep(client, leftMs, isOver);
    if (end === 'interrupted') return [{}];
    const heard = await bell.hear();
    if (end === 'rung only' && heard.some(({ except }) => !except?.includes(workerId)))
      this.#shortUntil = performance.now() + SHORT_FOR_MS;
    return heard;
  }

  /** @returns `rung only` when the bell was rung and nobody interrupted the sleep before */
  async #sleep(
    client: Connection,
    leftMs: number,
    isOver: () => boolean,
  ): Promise<'interrupted' | 'rung' | 'rung only' | 'over'> {
    const until = performance.now() + leftMs;
    // The ring for an interruption that came between two sleeps is there by the end of a nap.
    const isNapping = this.#isInterrupted;
    this.#isInterrupted = false;
    // Checked each turn: an interruption may come when the sleep is over and its answer still on its way.
    for (let sleeps = 0; !isOver(); sleeps++) {
      const began = performance.now();
      const longest =
        sleeps === 0 && isNapping ? NAP_MS : began < this.#shortUntil ? pollMs(sleeps) : SLEEP_MS;
      const ms = Math.min(until - began, longest);
      if (ms <= 0) return 'over';
      if (await this.#statement(client, ms)) return 'interrupted';
      if (performance.now() - began >= ms - 1) continue;
      // The server has not slept, as the bell had been rung.
      return sleeps > (isNapping ? 1 : 0) ? 'rung only' : 'rung';
    }
    return 'over';
  }

  /** One statement. It ends by itself when the worker stops. @returns whether it was interrupted */
  async #statement(client: Connection, ms: number): Promise<boolean> {
    const { sql, bell, lock, wait } = this.#parts;
    const { places, values } = bell.unheard();
    const sleep = async (): Promise<boolean> => {
      const found = await query<{ slept: number; only_reads: number }>(client, sql.sleep(places), [
        ...values,
        ms / 1000,
      ]);
      const [row] = found;
      if (Number(row?.only_reads) === 1) await lock.checkWrites(client);
      return Number(row?.slept) === 1;
    };
    this.#isAsleep = true;
    const slept = answerWithin(ms + ANSWER_MS, sleep())
      .catch(isInterruption)
      .finally(() => (this.#isAsleep = false));
    // When the worker stops, nobody waits for it any more.
    slept.catch(() => {});
    this.#isInterrupted = await Promise.race([slept, wait.ended().then(() => false)]);
    return this.#isInterrupted;
  }
}
