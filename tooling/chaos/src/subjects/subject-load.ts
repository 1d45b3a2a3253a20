import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { append, createRowlock, increment, type Rowlock } from '@rowlock/core';
import { again } from '../again.js';
import type { HistoryFile } from '../history/history-file.js';
import type { Random } from '../random.js';
import type { Plain, System } from '../system.js';
import { within } from '../within.js';
import { CAPTURES } from './captures.js';
import { counted } from './handlers.js';
import { kindOf, queueOf, RATE, ROWS, SUBJECT_MODES, type SubjectMode } from './kinds.js';
import { SUBJECT_SCHEDULES } from './schedules.js';

/** How long the load waits for the database before it takes a call for failed, in milliseconds. */
const PATIENCE_MS = 5_000;

/** The time between two acts of a kind, in milliseconds. */
const PAUSES_MS = { change: 120, enqueue: 250, pause: 400, deploy: 3_000, look: 500 } as const;

/** Jobs that wait or are worked on, at most: more would only pile up while nobody works. Ticks come all the same. */
const MOST_OUTSTANDING = 150;

/** How often a call is tried that ends the load. */
const TRIES = 100;

/** How many tokens each counted job's metadata is given. */
const TOKENS = 3;

type Pausable = { readonly queue: string } | { readonly kind: string } | { readonly limit: string };

/** Changes captured rows, updates metadata, pauses and resumes, and declares schedules and captures again and again. */
export class SubjectLoad<Tx> {
  readonly #system: System<Tx>;
  readonly #url: string;
  readonly #history: HistoryFile;
  readonly #random: Random;
  readonly #client: Rowlock<Tx>;
  readonly #pending = new Set<Promise<unknown>>();
  #ends: readonly (() => Promise<void>)[] = [];
  #version = 1;
  #outstanding = 0;

  constructor(system: System<Tx>, url: string, history: HistoryFile, random: Random) {
    this.#system = system;
    this.#url = url;
    this.#history = history;
    this.#random = random;
    this.#client = createRowlock<Tx>({
      driver: system.driver(url, 8),
      captures: CAPTURES,
      log: { debug() {}, info() {}, warn() {}, error() {} },
    });
  }

  start(): void {
    const { change, enqueue, pause, deploy, look } = PAUSES_MS;
    const repeated = (pauseMs: number, act: (over: AbortSignal) => Promise<void>) =>
      again(
        () => pauseMs,
        (over) => act(over).catch(() => {}),
      );
    this.#ends = [
      repeated(change, () => this.#change()),
      repeated(enqueue, async () => this.#count(this.#random.pick(SUBJECT_MODES))),
      repeated(pause, (over) => this.#pause(over)),
      repeated(deploy, () => this.#deploy()),
      repeated(look, () => this.#look()),
    ];
  }

  /** Ends the load and the pauses, and stops the schedules once they have caught up. The server must answer. */
  async settle(): Promise<void> {
    await this.stop();
    for (const work of this.#pausable()) await insist(() => this.#client.jobs.resume(work));
    for (let late = 1; late > 0; await sleep(100)) {
      const schedules = await insist(() => this.#client.schedules.list());
      late = schedules.filter(
        ({ nextAt }) => nextAt !== null && nextAt.getTime() < Date.now() - 1_000,
      ).length;
    }
    for (const { name } of SUBJECT_SCHEDULES) await insist(() => this.#client.schedules.pause(name));
  }

  async stop(): Promise<void> {
    const ends = this.#ends;
    this.#ends = [];
    await Promise.all(ends.map((end) => end()));
    await Promise.all(this.#pending);
  }

  async close(): Promise<void> {
    await Promise.race([this.#client.close().catch(() => {}), sleep(PATIENCE_MS, undefined, { ref: false })]);
  }

  async #look(): Promise<void> {
    const plain = await within(PATIENCE_MS, this.#system.connect(this.#url));
    try {
      const sql = `SELECT COUNT(*) AS jobs FROM ${this.#system.jobTable} WHERE queue LIKE 'subjects.%' AND status IN ('new', 'in-progress')`;
      const [row] = await within(PATIENCE_MS, plain.ask(sql));
      this.#outstanding = Number(row?.jobs);
    } finally {
      await plain.end();
    }
  }

  /** A transaction of the application: its change, and its own note of the change. */
  async #change(): Promise<void> {
    if (this.#outstanding > MOST_OUTSTANDING) return;
    const plain = await within(PATIENCE_MS, this.#system.connect(this.#url));
    try {
      await within(PATIENCE_MS, this.#changeBy(plain));
    } finally {
      await plain.end();
    }
  }

  async #changeBy({ ask }: Plain<Tx>): Promise<void> {
    const n = randomUUID();
    const die = this.#random.next();
    const id = this.#random.whole(0, ROWS - 1);
    await ask('BEGIN');
    if (die < 0.2) {
      const other = this.#random.whole(ROWS, 2 * ROWS);
      const [there] = await ask('SELECT id FROM chaos_row WHERE id = ?', [other]);
      if (there === undefined) await ask('INSERT INTO chaos_row VALUES (?, 0)', [other]);
      else await ask('DELETE FROM chaos_row WHERE id = ?', [other]);
      await ask('INSERT INTO chaos_change VALUES (?, ?)', [n, other]);
    } else {
      const last = id + (die < 0.4 ? 2 : 0);
      await ask('UPDATE chaos_row SET version = version + 1 WHERE id BETWEEN ? AND ?', [id, last]);
      const noted = 'INSERT INTO chaos_change SELECT ?, id FROM chaos_row WHERE id BETWEEN ? AND ?';
      await ask(noted, [n, id, last]);
    }
    await ask(die > 0.95 ? 'ROLLBACK' : 'COMMIT');
  }

  #count(mode: SubjectMode): void {
    if (this.#outstanding > MOST_OUTSTANDING) return;
    const random = this.#random;
    const payload = { ms: random.whole(5, 150), failures: random.chance(0.1) ? 1 : 0 };
    const delay = random.whole(0, 1_000);
    this.#wait(
      within(PATIENCE_MS, this.#client.enqueue(counted(mode), { payload, delay })).then(
        async ({ publicId }) => {
          for (let token = 0; token < TOKENS; token++) await this.#update(publicId, `${publicId} ${token}`);
        },
      ),
    );
  }

  async #update(publicId: string, token: string): Promise<void> {
    await sleep(this.#random.whole(0, 400));
    this.#history.write({ what: 'updating', publicId, token });
    const operations = [increment('tokens'), append('given', [token])];
    const done = await within(PATIENCE_MS, this.#client.jobs.updateMetadata(publicId, operations));
    this.#history.write({ what: 'updated', token, isWritten: done === 'updated' });
  }

  #wait(work: Promise<unknown>): void {
    const one: Promise<unknown> = work.catch(() => {}).finally(() => this.#pending.delete(one));
    this.#pending.add(one);
  }

  #pausable(): readonly Pausable[] {
    return [
      ...SUBJECT_MODES.flatMap((mode) => [{ queue: queueOf(mode) }, { kind: kindOf(mode, 'tick') }]),
      { limit: RATE.name },
    ];
  }

  async #pause(over: AbortSignal): Promise<void> {
    const work = this.#random.pick(this.#pausable());
    try {
      await within(PATIENCE_MS, this.#client.jobs.pause(work));
      this.#history.write({ what: 'paused', work });
    } catch {
      // Whether it is paused is not known, so nothing is proved by it.
    }
    await sleep(this.#random.whole(100, 900), undefined, { signal: over }).catch(() => {});
    this.#history.write({ what: 'resuming', work });
    await within(PATIENCE_MS, this.#client.jobs.resume(work)).catch(() => {
      this.#history.write({ what: 'resume doubted', work });
    });
  }

  /** As programs do that start: the same captures, and the same schedules or another definition with the same times. */
  async #deploy(): Promise<void> {
    await within(2 * PATIENCE_MS, this.#client.captures.apply());
    if (this.#random.chance(0.5)) this.#version += 1;
    for (const { name, schedule } of SUBJECT_SCHEDULES)
      await within(PATIENCE_MS, this.#client.schedules.set(name, schedule(this.#version)));
  }
}

/** Until it is done: connections that the faults have cut may be found only now. */
async function insist<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let left = TRIES; ; left--) {
    try {
      return await within(PATIENCE_MS, call());
    } catch (error) {
      if (left === 0) throw error;
      await sleep(200);
    }
  }
}
