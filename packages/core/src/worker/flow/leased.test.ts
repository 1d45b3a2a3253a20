import { expect, test } from 'vitest';
import { emptyDatabase, job, NOTHING } from '../../../test/empty-database.js';
import { ending } from '../../../test/ending.js';
import type { ClaimSession } from '../../driver.js';
import { DriverError, type DriverErrorCode, type State } from '../../index.js';
import { Lease } from './lease.js';
import { settleLease } from './leased.js';

/**
 * The fate of one attempt to settle: its connection is lost when it begins, or at its commit, before the commit is done
 * or after.
 */
type Fate = 'no connection' | 'not committed' | 'answer lost' | 'committed';

/** Settles a job as complete, or as a retry instead, by a handler that has used its transaction. */
async function settled(fates: readonly Fate[]): Promise<{ told: unknown; row: State }> {
  const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });
  const left = [...fates];
  let row: State = 'in-progress';
  let next: State = 'in-progress';
  let fate: Fate | undefined;
  const lost = new DriverError('ConnectionLost', 'The cable was pulled.');
  const session: ClaimSession<unknown> = {
    ...driver.claims.session({ idleLimitMs: 1 }),
    async lockLeased() {
      fate = left.shift();
      if (fate === undefined || fate === 'no connection') throw lost;
      next = row;
      return new Map([[job(1n).id, row]]);
    },
    async settle(settlements) {
      const [settlement] = settlements;
      if (row === 'in-progress') next = settlement?.event === 'complete' ? 'complete' : 'new';
      return settlements.map(({ id }) => id);
    },
    async commit() {
      if (fate !== 'not committed') row = next;
      if (fate !== 'committed') throw lost;
    },
  };
  const lease = new Lease(
    session,
    { runId: 'run', jobs: [job(1n).id] },
    { isCommitted: true, hasLimits: false },
  );
  await lease.handle();
  const settlements = {
    settlements: [ending('complete')],
    instead: () => [ending('retry')],
    reduced: () => ending('retry'),
    left: () => {},
    isSuspect: false,
    shareWrites: false,
    follow: () => undefined,
  };
  const written = await settleLease(lease, settlements, async () => {});
  expect(left).toEqual([]);
  return { told: written.map(({ event }) => event), row };
}

test.each<[readonly Fate[], State]>([
  [['committed'], 'complete'],
  [['answer lost', 'committed'], 'complete'],
  [['answer lost', 'no connection', 'committed'], 'complete'],
  [['answer lost', 'answer lost', 'committed'], 'complete'],
  [['answer lost', 'not committed', 'no connection', 'committed'], 'complete'],
  [['not committed', 'committed'], 'new'],
  [['not committed', 'answer lost', 'committed'], 'new'],
  [['not committed', 'no connection', 'answer lost', 'answer lost', 'committed'], 'new'],
])('what is told of a lease is what its row says: %j', async (fates, row) => {
  expect(await settled(fates)).toEqual({ told: [row === 'complete' ? 'complete' : 'retry'], row });
});

/**
 * Settles a job as complete, by a handler that has not used its transaction, while the database refuses for these
 * reasons.
 */
async function settledUnused(refusals: readonly DriverErrorCode[], isUnsent = false): Promise<unknown> {
  const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });
  const left = [...refusals];
  const session: ClaimSession<unknown> = {
    ...driver.claims.session({ idleLimitMs: 1 }),
    lockLeased: async () => new Map([[job(1n).id, 'in-progress' as const]]),
    async settle(settlements) {
      const refusal = left.shift();
      if (refusal !== undefined) throw new DriverError(refusal, 'Not now.', { isUnsent });
      return settlements.map(({ id }) => id);
    },
  };
  const lease = new Lease(
    session,
    { runId: 'run', jobs: [job(1n).id] },
    { isCommitted: true, hasLimits: false },
  );
  const settlements = {
    settlements: [ending('complete')],
    instead: () => [ending('retry')],
    reduced: () => ending('retry'),
    left: () => {},
    isSuspect: false,
    shareWrites: false,
    follow: () => undefined,
  };
  const [written] = await settleLease(lease, settlements, async () => {});
  return written?.event;
}

test.each<[readonly DriverErrorCode[], string]>([
  [['Unknown', 'Unknown', 'LockTimeout'], 'complete'],
  [['SerializationFailure', 'PermissionDenied', 'ConnectionLost'], 'complete'],
  [['InvalidInput'], 'complete'],
  [['InvalidInput', 'InvalidInput'], 'retry'],
])(
  'what a handler has done for minutes is given up only if no column takes what it returned: %j',
  async (refusals, event) => {
    expect(await settledUnused(refusals)).toBe(event);
  },
);

test.each([
  [50, 'complete'],
  [300, 'release'],
])(
  'a lease is left to be put back if it is refused for a minute: after %i refusals it ends as %s',
  async (times, event) => {
    expect(await settledUnused(Array.from({ length: times }, () => 'Unknown'))).toBe(event);
  },
);

test('a lease is also left if what may pass has come for a minute, unless it comes to all: a full disk', async () => {
  const times = Array.from({ length: 300 });
  await expect(settledUnused(times.map(() => 'SerializationFailure'))).rejects.toThrow('Not now.');
  expect(await settledUnused(times.map(() => 'OutOfResources'))).toBe('complete');
});

test.each<DriverErrorCode>(['PermissionDenied', 'Unknown'])(
  'a lease waits for as long as no connection can be opened, as with a password that is no longer right: %s',
  async (code) => {
    const times = Array.from({ length: 300 }, () => code);
    expect(await settledUnused(times, true)).toBe('complete');
  },
);
