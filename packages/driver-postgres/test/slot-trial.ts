import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isDriverError } from '@rowlock/core';
import type { ClaimSession, Driver } from '@rowlock/core/driver';
import type pg from 'pg';
import type { PostgresTransaction } from '../src/index.js';

/** A call that took a slot, or may have. Times are milliseconds of this process. */
interface Stay {
  /** When the call was sent. It was not in before. */
  readonly from: number;
  /** When the call was answered. It was in from then on. */
  readonly sure: number;
  /** When its end was sent. It was in until then. */
  unsure: number;
  /** When its end was answered. It was not in after that. */
  to: number;
}

/** A call that is over. */
interface Call {
  readonly size: number;
  readonly sent: number;
  readonly answered: number;
  /** Null if it was refused. */
  readonly stay: Stay | null;
}

export interface Tally {
  readonly admitted: number;
  readonly refused: number;
  /** Calls that were admitted although as many others as their size were in all the while. */
  readonly over: number;
  /** Calls that were refused although fewer others than their size can have been in. */
  readonly falselyRefused: number;
  readonly cut: number;
  /** How often slots were deleted. */
  readonly pruned: number;
}

export interface TrialOptions {
  readonly driver: Driver<PostgresTransaction>;
  /** Ends other sessions. */
  readonly admin: pg.Pool;
  readonly limit: string;
  readonly sessions: number;
  readonly forMs: number;
  /** It goes on until so many were admitted and as many refused, however slow the machine is. Default: 5. */
  readonly least?: number;
  /** Whether some stays become leases. Default: yes. */
  readonly leases?: boolean;
  /** Whether free slots are deleted all the while. Default: no. */
  readonly prunes?: boolean;
  /** Takes the slot. Default: the driver. */
  readonly enter?: (session: ClaimSession<PostgresTransaction>, size: number) => Promise<void>;
}

const SIZES = [1, 3, 6];
const LONGEST_STAY_MS = 30;
const NEVER = Number.POSITIVE_INFINITY;

/** Sessions that go in and out of one limit, each with another size in mind every time. Some of them are cut off. */
export async function slotTrial({
  driver,
  admin,
  limit,
  sessions,
  forMs,
  least = 5,
  leases = true,
  prunes = false,
  enter = (session, size) => session.enterLimits(JSON.stringify({ [limit]: size })),
}: TrialOptions): Promise<Tally> {
  const calls: Call[] = [];
  const stays: Stay[] = [];
  let [cut, pruned, refused] = [0, 0, 0];
  const end = performance.now() + forMs;
  const goesOn = (): boolean =>
    performance.now() < end || Math.min(calls.length - refused, refused) < least || (prunes && pruned === 0);

  const cutOff = async (pid: number, how: 'pg_terminate_backend' | 'pg_cancel_backend'): Promise<void> => {
    cut += 1;
    await admin.query(`SELECT ${how}($1)`, [pid]);
  };
  const gone = async (pid: number): Promise<void> => {
    for (;;) {
      const { rowCount } = await admin.query('SELECT FROM pg_stat_activity WHERE pid = $1', [pid]);
      if (rowCount === 0) return;
      await pause(1);
    }
  };
  const pidOf = async ({ handle }: ClaimSession<PostgresTransaction>): Promise<number> => {
    const { rows } = await handle.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return rows[0]?.pid ?? 0;
  };

  /** The ways in which a stay ends. */
  async function leave(session: ClaimSession<PostgresTransaction>, stay: Stay): Promise<void> {
    const way = Math.random();
    if (way < 0.05) {
      const pid = await pidOf(session);
      stay.unsure = performance.now();
      await cutOff(pid, 'pg_terminate_backend');
      await gone(pid);
      await session.rollback();
    } else if (leases && way < 0.2) {
      const runId = randomUUID();
      await session.lease(runId, [], 60_000);
      await pause(Math.random() * LONGEST_STAY_MS);
      await session.lockLeased(runId, [], true);
      await session.leaveLimits(runId);
      stay.unsure = performance.now();
      await session.commit();
    } else if (leases && way < 0.3) {
      const leaseMs = Math.random() * LONGEST_STAY_MS;
      stay.unsure = performance.now() + leaseMs;
      await session.lease(randomUUID(), [], leaseMs);
      // A timer leaves out the fraction, and may be a millisecond early.
      await pause(Math.ceil(leaseMs) + 1);
    } else {
      stay.unsure = performance.now();
      await (way < 0.6 ? session.commit() : session.rollback());
    }
    stay.to = performance.now();
  }

  /** A call that is cut off on its way may have been in, or not. */
  async function cutOnTheWay(session: ClaimSession<PostgresTransaction>, size: number): Promise<void> {
    await session.confirm();
    const pid = await pidOf(session);
    const stay: Stay = { from: performance.now(), sure: NEVER, unsure: 0, to: NEVER };
    stays.push(stay);
    const isEnd = Math.random() < 0.5;
    const entered = enter(session, size).catch(() => {});
    await pause(Math.random() * 2);
    await cutOff(pid, isEnd ? 'pg_terminate_backend' : 'pg_cancel_backend');
    await entered;
    if (isEnd) await gone(pid);
    await session.rollback();
    stay.to = performance.now();
  }

  async function goInAndOut(): Promise<void> {
    while (goesOn()) {
      const session = driver.claims.session({ idleLimitMs: 60_000 });
      const size = SIZES[Math.floor(Math.random() * SIZES.length)] ?? 1;
      if (Math.random() < 0.03) {
        await cutOnTheWay(session, size);
        continue;
      }
      // The connection is made, and the transaction is begun.
      await session.confirm();
      const sent = performance.now();
      try {
        await enter(session, size);
      } catch (error) {
        if (!isDriverError(error, 'LimitReached')) throw error;
        calls.push({ size, sent, answered: performance.now(), stay: null });
        refused += 1;
        await session.rollback();
        continue;
      }
      const sure = performance.now();
      const stay: Stay = { from: sent, sure, unsure: NEVER, to: NEVER };
      stays.push(stay);
      calls.push({ size, sent, answered: sure, stay });
      await pause(Math.random() * LONGEST_STAY_MS);
      await leave(session, stay);
    }
  }

  async function pruneAlways(): Promise<void> {
    while (goesOn()) {
      const made = await countSlots();
      await driver.admission.prune('', 0);
      if ((await countSlots()) < made) pruned += 1;
      await pause(Math.random() * 5);
    }
  }
  const countSlots = async (): Promise<number> => {
    const { rows } = await admin.query<{ n: number }>(
      'SELECT count(*)::integer AS n FROM rowlock.limit_slot',
    );
    return rows[0]?.n ?? 0;
  };

  await Promise.all([...Array.from({ length: sessions }, goInAndOut), ...(prunes ? [pruneAlways()] : [])]);
  return { ...tallied(calls, stays), cut, pruned };
}

function tallied(calls: readonly Call[], stays: readonly Stay[]): Omit<Tally, 'cut' | 'pruned'> {
  const inOrder = stays.toSorted((one, other) => one.from - other.from);
  const longest = Math.max(...stays.map(({ from, to }) => to - from));
  let first = 0;
  let [admitted, over, falselyRefused] = [0, 0, 0];
  for (const { size, sent, answered, stay: own } of calls.toSorted((one, other) => one.sent - other.sent)) {
    while ((inOrder[first]?.from ?? NEVER) < sent - longest) first += 1;
    let [certain, possible] = [0, 0];
    for (let place = first; (inOrder[place]?.from ?? NEVER) <= answered; place++) {
      const stay = inOrder[place];
      if (stay === undefined || stay === own) continue;
      if (stay.sure <= sent && stay.unsure >= answered) certain += 1;
      if (stay.to >= sent) possible += 1;
    }
    if (own !== null) admitted += 1;
    if (own !== null && certain >= size) over += 1;
    if (own === null && possible < size) falselyRefused += 1;
  }
  return { admitted, refused: calls.length - admitted, over, falselyRefused };
}
