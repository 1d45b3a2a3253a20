import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClaimSession, Driver } from '@rowlock/core/driver';
import type { Pool, RowDataPacket } from 'mysql2/promise';
import type { MysqlTransaction } from '../src/query.js';
import { ended } from './sessions.js';

export interface TrialOptions {
  readonly sessions: number;
  readonly ms: number;
  /** It goes on until so many have entered and as many were refused, however slow the machine is. */
  readonly least: number;
  /** Whether free slots are deleted all the while. Default: no. */
  readonly prunes?: boolean;
}

export interface TrialResult {
  /** Who entered although as many others as its size were in for certain, all the while. */
  readonly overAdmitted: number;
  /** Who was refused although fewer others than its size can have been in meanwhile. */
  readonly falselyFull: number;
  /** Errors that are none of the trial's own doing. */
  readonly errors: readonly string[];
}

/** When a holder was in, in milliseconds. Between the two times of an end nobody can say. */
interface Stay {
  readonly asked: number;
  entered: number;
  /** Until when it is in for certain. */
  certain: number;
  /** When it is out for certain. */
  out: number;
}

const SIZES = [1, 3, 6];

/** How long past stays matter, in milliseconds: longer than any call. */
const KEPT_MS = 30_000;

/** Many sessions that enter one limit, each with a size of its own, and count each other from outside. */
export async function limitTrial(
  driver: Driver<MysqlTransaction>,
  pool: Pool,
  { sessions, ms, least, prunes = false }: TrialOptions,
): Promise<TrialResult> {
  let stays: Stay[] = [];
  let [entered, full, pruned, overAdmitted, falselyFull] = [0, 0, 0, 0, 0];
  const errors: string[] = [];
  const until = performance.now() + ms;
  const goesOn = (): boolean =>
    performance.now() < until || Math.min(entered, full) < least || (prunes && pruned === 0);

  async function enterOnce(session: ClaimSession<MysqlTransaction>): Promise<void> {
    const size = SIZES[Math.floor(Math.random() * SIZES.length)] ?? 1;
    const asked = performance.now();
    const stay: Stay = { asked, entered: Infinity, certain: Infinity, out: Infinity };
    stays.push(stay);
    try {
      await session.enterLimits(JSON.stringify({ hot: size }));
    } catch (error) {
      const now = performance.now();
      stays.splice(stays.indexOf(stay), 1);
      if (Object(error).code !== 'LimitReached') throw error;
      full += 1;
      if (stays.filter(({ asked: from, out }) => from <= now && out >= asked).length < size) falselyFull += 1;
      await session.rollback();
      await sleep(Math.random() * 5);
      return;
    }
    const now = performance.now();
    stay.entered = now;
    entered += 1;
    const others = stays.filter((each) => each !== stay && each.entered <= asked && each.certain >= now);
    if (others.length >= size) overAdmitted += 1;
    await stayIn(session, stay);
    stay.out = Math.min(stay.out, performance.now());
  }

  async function stayIn(session: ClaimSession<MysqlTransaction>, stay: Stay): Promise<void> {
    const fate = Math.random();
    await sleep(Math.random() * 30);
    if (fate < 0.1) {
      const [[row]] = await session.handle.query('SELECT CONNECTION_ID() AS id');
      stay.certain = performance.now();
      await pool.query(`KILL ${Number(row.id)}`);
      await session.rollback();
      await ended(pool, Number(row.id));
    } else if (fate < 0.3) {
      const runId = randomUUID();
      const isForgotten = fate < 0.15;
      const forMs = isForgotten ? 60 : 60_000;
      const began = performance.now();
      if (isForgotten) stay.certain = began + forMs - 5;
      await session.lease(runId, [], forMs);
      await sleep(isForgotten ? forMs + 100 : Math.random() * 30);
      if (isForgotten) return;
      await session.leaveLimits(runId);
      stay.certain = performance.now();
      await session.commit();
    } else {
      stay.certain = performance.now();
      await (fate < 0.6 ? session.commit() : session.rollback());
    }
  }

  const work = async (): Promise<void> => {
    const session = driver.claims.session({ idleLimitMs: 60_000 });
    while (goesOn()) {
      try {
        await enterOnce(session);
      } catch (error) {
        errors.push(String(error));
        await session.rollback();
      }
      if (stays.length > 1_000) {
        const past = performance.now() - KEPT_MS;
        stays = stays.filter(({ out }) => out >= past);
      }
    }
  };
  const countSlots = async (): Promise<number> => {
    const [rows] = await pool.query<RowDataPacket[]>('SELECT COUNT(*) AS n FROM rowlock_limit_slot');
    return Number(rows[0]?.n);
  };
  const prune = async (): Promise<void> => {
    while (goesOn()) {
      const made = await countSlots();
      await driver.admission.prune('', 0);
      if ((await countSlots()) < made) pruned += 1;
      await sleep(Math.random() * 5);
    }
  };
  await Promise.all([...Array.from({ length: sessions }, work), ...(prunes ? [prune()] : [])]);
  return { overAdmitted, falselyFull, errors };
}
