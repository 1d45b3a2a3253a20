import { type WakeUp, wakeUpOf } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { change, type MysqlTransaction, query, read } from '../query.js';
import type { Statements } from '../statements.js';
import { inParts, list } from '../values/list.js';

/** How long a ring may be late, in milliseconds. A ring gets its number at the write, and is visible at the commit. */
const LATE_MS = 30_000;

/** The most missing numbers to look for. */
const MOST_LATE = 256;

/** The number of rings that are kept: far more than workers can miss between two polls. */
const KEPT = 1_000n;

/** One worker's view of the bell. Each ring is found once, though rings come out of order. */
export class Bell {
  readonly #context: Context;
  readonly #pool: MysqlTransaction;
  #last: bigint | null = null;
  /** Missing numbers below the last one, each with the time until which to look for it. */
  readonly #late = new Map<bigint, number>();
  /** The number before which the bell was cleared. */
  #pruned = 0n;

  constructor(context: Context, pool: MysqlTransaction) {
    this.#context = context;
    this.#pool = pool;
  }

  /** Sets the start. Rings before a worker's first session are skipped. Rings between two sessions are found late. */
  async begin(): Promise<void> {
    if (this.#last !== null) return;
    const rows = await read<{ id: string }>(this.#pool, this.#context.sql.bell.lastRings);
    this.#last = BigInt(rows[0]?.id ?? 0);
    for (const { id } of rows) this.#note(BigInt(id));
  }

  /** The values for a statement that looks for rings after the last, and for late ones. */
  unheard(): { readonly places: string; readonly values: readonly (bigint | null)[] } {
    const late = list(this.#late.size > 0 ? [...this.#late.keys()] : [0n]);
    return { places: late.places, values: [this.#last ?? 0n, ...late.values] };
  }

  async isRung(): Promise<boolean> {
    const { places, values } = this.unheard();
    const rows = await query(this.#pool, this.#context.sql.bell.rung(places), values);
    return rows.length > 0;
  }

  /** The rings since the last call. */
  async receive(): Promise<readonly WakeUp[]> {
    const { places, values } = this.unheard();
    const sql = this.#context.sql.bell.heard(places);
    const rows = await query<{ id: string; wake_up: string }>(this.#pool, sql, values);
    rows.sort((a, b) => Number(BigInt(a.id) - BigInt(b.id)));
    for (const { id } of rows) this.#note(BigInt(id));
    this.#forget();
    await this.#prune();
    return rows.map(({ wake_up }) => wakeUpOf(JSON.parse(wake_up)));
  }

  /** Notes a ring. Numbers are assigned in order, and visible in the order of the commits: missing ones may still come. */
  #note(id: bigint): void {
    this.#late.delete(id);
    const last = this.#last ?? 0n;
    if (id <= last) return;
    const until = performance.now() + LATE_MS;
    const first = id - last > MOST_LATE ? id - BigInt(MOST_LATE) : last + 1n;
    for (let missing = first; missing < id; missing++) this.#late.set(missing, until);
    this.#last = id;
  }

  /** Drops missing numbers, the oldest first. A transaction that was rolled back leaves a number that never comes. */
  #forget(): void {
    const now = performance.now();
    for (const [id, until] of this.#late) {
      if (until > now && this.#late.size <= MOST_LATE) return;
      this.#late.delete(id);
    }
  }

  /** Clears the bell, apart from any ring: a producer's transaction should lock no rows but its own. */
  async #prune(): Promise<void> {
    const before = (this.#last ?? 0n) - KEPT;
    if (before < this.#pruned + KEPT) return;
    this.#pruned = before;
    await change(this.#pool, this.#context.sql.bell.pruneBell, [before]);
  }
}

/** Those of these rings that are visible. @throws DriverError */
export async function findRings(
  on: MysqlTransaction,
  sql: Statements,
  rings: readonly number[],
): Promise<readonly number[]> {
  const found: number[] = [];
  for (const part of inParts(rings)) {
    const wanted = list(part);
    const rows = await query<{ id: string }>(on, sql.bell.findRings(wanted.places), wanted.values);
    found.push(...rows.map(({ id }) => Number(id)));
  }
  return found;
}
