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
import { trial } from './trial.js';
import { unserved } from './unserved.js';

/**
 * Looks for all that is wrong. A look that fails is a finding, and keeps no other from its work. What keeps workers from
 * starting is found alone, and so is a lock on a table: much else follows from it, and would wait for it.
 */
export async function diagnose(
  rowlock: Rowlock<unknown>,
  driver: Driver,
  handlerMs: number,
): Promise<readonly Finding[]> {
  const { verified, isLocked, findings } = await start(driver);
  if (verified === null && !isLocked) return findings;
  const catalog = (await driver.schema.examine?.(handlerMs)) ?? [];
  const found = [...findings, ...catalog];
  if (verified === null || found.some(({ check, severity }) => check === 'locks' && severity === 'broken'))
    return ranked(found);
  const subject = subjectOf(rowlock, driver);
  const seen = await subject.catch(() => null);
  const looks = await examined({
    // What an engine without transactions has written cannot be undone.
    ...(!catalog.some(({ check }) => check === 'engine') && { trial: () => trial({ rowlock, driver }) }),
    statistics: () => subject.then(() => []),
    ...(seen !== null && {
      unserved: async () => unserved(seen),
      leases: () => leases(seen),
      keys: () => keys(seen),
    }),
    connections: async () => connections(verified),
    clock: () => clock({ driver }),
    schedules: () => schedules({ rowlock }),
    captures: () => captures({ rowlock, driver }),
  });
  return ranked([...found, ...looks]);
}

async function subjectOf(rowlock: Rowlock<unknown>, driver: Driver): Promise<Subject> {
  const [{ lanes }, all] = await Promise.all([rowlock.insight.stats(), rowlock.insight.workers()]);
  return { rowlock, driver, lanes, workers: all.filter(({ alive }) => alive) };
}

/** The worst come first. */
function ranked(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((one, other) => RANK[one.severity] - RANK[other.severity]);
}

const RANK: Readonly<Record<Finding['severity'], number>> = { broken: 0, warning: 1, skipped: 2 };
