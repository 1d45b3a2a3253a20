import { answerWithin, type EndableWait, isHint, type WakeUp } from '@rowlock/core/driver';
import type { Connection } from 'mysql2/promise';
import { query } from '../query.js';
import type { Statements } from '../statements.js';
import type { Bell } from './bell.js';
import { isInterruption } from './interruption.js';
import { pollMs } from './poll.js';
import { SLEEPERS_MS } from './ringer.js';
import type { WorkerLock } from './worker-lock.js';

/** The longest sleep of one statement, in milliseconds. */
const SLEEP_MS = 10_000;

/** How long the sleeps of a new session are short, in milliseconds: producers have lists of sleepers without it, and do not interrupt it. */
const NEW_FOR_MS = 2 * SLEEPERS_MS;

/** The longest sleep of a worker that looks often, and of a new session, in milliseconds. The server may take as long to notice that its client is gone. */
const SHORT_SLEEP_MS = 250;

/**
 * How long the sleeps stay short after a ring without an interruption, in milliseconds: first as short as polls. Another account, or a
 * procedure, cannot interrupt this session.
 */
const POLLS_FOR_MS = 60_000;
const SHORT_FOR_MS = 3_600_000;

/** The ring for an interruption comes within this time, in milliseconds, and with an interruption of its own: see Ringer. */
const RING_WITHIN_MS = 200;

/** The longest time between two sleeps, in milliseconds. */
const BETWEEN_MS = 1_000;

/** The timeout of an answer beyond the sleep, in milliseconds. */
const ANSWER_MS = 5_000;

interface Parts {
  readonly workerId: string;
  readonly sql: Statements;
  readonly bell: Pick<Bell, 'unheard' | 'receive'>;
  readonly lock: Pick<WorkerLock, 'checkWrites'>;
  readonly wait: EndableWait;
}

/** How a sleep has ended. `rung`: the server did not sleep, as the bell had already been rung. */
type End = 'interrupted' | 'rung' | 'over';

/** A worker's session that sleeps on the server, until a producer interrupts it. */
export class Sleep {
  readonly #parts: Parts;
  /** The sleep that goes on, also while nobody waits for its end. */
  #current: { readonly client: Connection; readonly end: Promise<End> } | null = null;
  /** The connection that answers nothing else now. */
  #asleepOn: Connection | null = null;
  #awokeAt = Number.NEGATIVE_INFINITY;
  #sleeps = 0;
  /** Whether the last sleep has come to its end by itself. */
  #hasSlept = false;
  /** The time of the last ring without an interruption. */
  #rungAt = Number.NEGATIVE_INFINITY;
  /** The time until which the ring for an interruption may come. */
  #ringUntil = 0;
  #session: Connection | null = null;
  /** The time until which the session is new. */
  #newUntil = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether the session sleeps, and so answers no other statement, or is about to: it has just answered then. */
  get isAsleep(): boolean {
    return this.#asleepOn !== null || performance.now() - this.#awokeAt < BETWEEN_MS;
  }

  /** Sleeps until an interruption, a ring of the bell, or the end of `leftMs` milliseconds. @throws DriverError */
  async receive(
    client: Connection,
    { leftMs, looksOften, isOver }: { leftMs: number; looksOften: boolean; isOver: () => boolean },
  ): Promise<readonly WakeUp[]> {
    const { bell, workerId } = this.#parts;
    const until = performance.now() + leftMs;
    // Checked each turn: an interruption may come when the sleep is over and its answer still under way.
    while (!isOver() && performance.now() < until) {
      const hadSlept = this.#hasSlept;
      const end = await this.#nextEnd(client, until, looksOften);
      if (end === 'over') continue;
      const now = performance.now();
      const isFirst = end === 'interrupted' && now >= this.#ringUntil;
      this.#ringUntil = isFirst ? now + RING_WITHIN_MS : 0;
      // The jobs are there already: the look for them does not wait for the ring.
      if (isFirst) return [{}];
      const rings = await bell.receive();
      if (end === 'interrupted') return rings.length > 0 ? rings : [{}];
      if (
        hadSlept &&
        now > this.#newUntil &&
        rings.some((ring) => !isHint(ring) || !ring.except?.includes(workerId))
      )
        this.#rungAt = now;
      return rings;
    }
    return [];
  }

  /** How the sleep has ended that goes on, or a new one. It goes on if nothing has come until then. */
  async #nextEnd(client: Connection, until: number, looksOften: boolean): Promise<End> {
    const { wait } = this.#parts;
    if (this.#current?.client !== client) this.#current = { client, end: this.#begin(client, looksOften) };
    const timeout = wait.pause(Math.max(0, until - performance.now())).then(() => null);
    try {
      const end = await Promise.race([this.#current.end, timeout]);
      if (end !== null) this.#current = null;
      return end ?? 'over';
    } catch (error) {
      this.#current = null;
      throw error;
    } finally {
      wait.end();
    }
  }

  #begin(client: Connection, looksOften: boolean): Promise<End> {
    this.#asleepOn = client;
    const began = performance.now();
    if (this.#session !== client) this.#newUntil = began + NEW_FOR_MS;
    this.#session = client;
    const ms = this.#longestMs(began, looksOften);
    const end = answerWithin(ms + ANSWER_MS, this.#sleep(client, ms))
      .catch(isInterruption)
      .finally(() => {
        this.#awokeAt = performance.now();
        if (this.#asleepOn === client) this.#asleepOn = null;
      })
      .then((isInterrupted): End => {
        this.#hasSlept = !isInterrupted && performance.now() - began >= ms - 1;
        this.#sleeps = this.#hasSlept ? this.#sleeps + 1 : 0;
        return isInterrupted ? 'interrupted' : this.#hasSlept ? 'over' : 'rung';
      });
    // The session may be lost while nobody waits.
    end.catch(() => {});
    return end;
  }

  #longestMs(now: number, looksOften: boolean): number {
    const rungMs = now - this.#rungAt;
    if (rungMs < POLLS_FOR_MS) return pollMs(this.#sleeps);
    const isShort = looksOften || now < this.#newUntil || rungMs < SHORT_FOR_MS;
    return isShort ? SHORT_SLEEP_MS : SLEEP_MS;
  }

  /** Sleeps in one statement. @returns whether the sleep was interrupted */
  async #sleep(client: Connection, ms: number): Promise<boolean> {
    const { sql, bell, lock } = this.#parts;
    const { places, values } = bell.unheard();
    const [row] = await query<{ slept: number; only_reads: number }>(client, sql.bell.sleep(places), [
      ...values,
      ms / 1000,
    ]);
    if (Number(row?.only_reads) === 1) await lock.checkWrites(client);
    return Number(row?.slept) === 1;
  }
}
