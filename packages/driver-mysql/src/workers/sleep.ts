import { answerWithin, isHint, type WakeUp } from '@rowlock/core/driver';
import type { Connection } from 'mysql2/promise';
import { query } from '../query.js';
import type { Statements } from '../statements.js';
import type { Bell } from './bell.js';
import type { EndableWait } from './endable-wait.js';
import { isInterruption } from './interruption.js';
import { pollMs } from './poll.js';
import type { WorkerLock } from './worker-lock.js';

/** The longest sleep of one statement, in milliseconds. The server may take as long to notice that its client is gone. */
const SLEEP_MS = 250;

/** The first sleep after an interruption, in milliseconds. The ring for an interruption follows after some 50 ms: see Ringer. */
const NAP_MS = 100;

/** How long the sleeps stay as short as polls after a ring without an interruption, in milliseconds. */
const SHORT_FOR_MS = 60_000;

/** The timeout of an answer beyond the sleep, in milliseconds. */
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
  /** The time until which rings without an interruption are expected. Another account, or a procedure, cannot interrupt this session. */
  #shortUntil = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether the session sleeps, and so answers no other statement. */
  get isAsleep(): boolean {
    return this.#isAsleep;
  }

  /** Sleeps until an interruption, a ring of the bell, or the end of `leftMs` milliseconds. @throws DriverError */
  async receive(client: Connection, leftMs: number, isOver: () => boolean): Promise<readonly WakeUp[]> {
    const { bell, workerId } = this.#parts;
    const end = await this.#sleep(client, leftMs, isOver);
    if (end === 'interrupted') return [{}];
    const rings = await bell.receive();
    if (end === 'rung only' && rings.some((ring) => !isHint(ring) || !ring.except?.includes(workerId)))
      this.#shortUntil = performance.now() + SHORT_FOR_MS;
    return rings;
  }

  /** @returns `rung only` when the bell was rung without an earlier interruption of the sleep */
  async #sleep(
    client: Connection,
    leftMs: number,
    isOver: () => boolean,
  ): Promise<'interrupted' | 'rung' | 'rung only' | 'over'> {
    const until = performance.now() + leftMs;
    // The ring for an interruption between two sleeps is visible by the end of a nap.
    const isNapping = this.#isInterrupted;
    this.#isInterrupted = false;
    // Checked each turn: an interruption may come when the sleep is over and its answer still under way.
    for (let sleeps = 0; !isOver(); sleeps++) {
      const began = performance.now();
      const longest =
        sleeps === 0 && isNapping ? NAP_MS : began < this.#shortUntil ? pollMs(sleeps) : SLEEP_MS;
      const ms = Math.min(until - began, longest);
      if (ms <= 0) return 'over';
      if (await this.#statement(client, ms)) return 'interrupted';
      if (performance.now() - began >= ms - 1) continue;
      // The server did not sleep, as the bell had already been rung.
      return sleeps > (isNapping ? 1 : 0) ? 'rung only' : 'rung';
    }
    return 'over';
  }

  /** Sleeps in one statement. The wait ends early when the worker stops. @returns whether the sleep was interrupted */
  async #statement(client: Connection, ms: number): Promise<boolean> {
    const { sql, bell, lock, wait } = this.#parts;
    const { places, values } = bell.unheard();
    const sleep = async (): Promise<boolean> => {
      const found = await query<{ slept: number; only_reads: number }>(client, sql.bell.sleep(places), [
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
    // After the worker's stop no code awaits the sleep.
    slept.catch(() => {});
    this.#isInterrupted = await Promise.race([slept, wait.ended().then(() => false)]);
    return this.#isInterrupted;
  }
}
