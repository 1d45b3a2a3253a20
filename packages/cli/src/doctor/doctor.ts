import type { Driver, Rowlock } from '@rowlock/core';
import { examined, type Finding } from '@rowlock/core/driver';
import { captures } from './captures.js';
import { clock } from './clock.js';
import { connections } from './connections.js';
import { keys } from './keys.js';
import { leases } from './leases.js';
import { schedules } from './schedules.js';
import { start } from './start.js';
import type { Subject } from './subject.js';
import { unserved } from './unserved.js';

/** Looks for all that is wrong. What keeps workers from starting is found alone: much else follows from it. */
export async function diagnose(
  rowlock: Rowlock<unknown>,
  driver: Driver,
  handlerMs: number,
): Promise<readonly Finding[]> {
  const { verified, findings } = await start(driver);
  if (verified === null) return findings;
  const [{ lanes }, all] = await Promise.all([rowlock.insight.stats(), rowlock.insight.workers()]);
  const subject: Subject = { rowlock, driver, lanes, workers: all.filter(({ alive }) => alive) };
  const found = await Promise.all([
    driver.schema.examine?.(handlerMs) ?? [],
    examined({
      unserved: async () => unserved(subject),
      leases: () => leases(subject),
      keys: () => keys(subject),
      connections: async () => connections(verified),
      clock: () => clock(subject),
      schedules: () => schedules(subject),
      captures: () => captures(subject),
    }),
  ]);
  return [...findings, ...found.flat()].toSorted((one, other) => RANK[one.severity] - RANK[other.severity]);
}

/** The worst come first. */
const RANK: Readonly<Record<Finding['severity'], number>> = { broken: 0, warning: 1, skipped: 2 };
