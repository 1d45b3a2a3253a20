import { expect, test } from 'vitest';
import { emptyDatabase, job, NOTHING } from '../../../test/empty-database.js';
import { ending } from '../../../test/ending.js';
import type { ClaimCriteria, ClaimSession, Job, Settlement } from '../../driver.js';
import { DriverError, type DriverErrorCode } from '../../index.js';
import { settleHeld } from './settle.js';

const behind: ClaimCriteria = {
  queue: 'default',
  kinds: ['work'],
  line: { priority: 0, id: 1n },
  busy: [],
  limit: 1,
};

interface Given {
  readonly refusal: DriverErrorCode;
  /** Whether the handler has written. */
  readonly used?: boolean;
  readonly undo?: () => Promise<void>;
  /** The refusals of the settlements that are sent each by itself. */
  readonly refusals?: readonly DriverErrorCode[];
  readonly isSuspect?: boolean;
  readonly shareWrites?: boolean;
}

/** Settles a job as complete, or as a retry instead, while the database refuses the first settlement. */
function settleRefused({
  refusal,
  used = true,
  undo = async () => {},
  refusals = [],
  isSuspect = false,
  shareWrites = false,
}: Given) {
  const sent: unknown[] = [];
  const left = [...refusals];
  const next: readonly Job[] = [job(2n)];
  const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });
  const session: ClaimSession<unknown> = {
    ...driver.claims.session({ idleLimitMs: 1 }),
    used,
    undo() {
      sent.push('undo');
      return undo();
    },
    async finish(settlements, claim) {
      sent.push(...settlements.map(({ event }) => event));
      if (sent.length === 1) throw new DriverError(refusal, 'Not now.');
      return { settled: settlements.map(({ id }) => id), next: claim ? Promise.resolve(next) : null };
    },
    async settle(settlements) {
      sent.push(...settlements.map(({ event }) => event));
      const again = left.shift();
      if (again !== undefined) throw new DriverError(again, 'Not now.');
      return settlements.map(({ id }) => id);
    },
    async commit() {
      sent.push('commit');
    },
  };
  const settlements = {
    settlements: [ending('complete')],
    instead: () => [ending('retry')],
    reduced: () => ending('fail'),
    left: ({ event }: Settlement) => sent.push(`left: ${event}`),
    isSuspect,
    shareWrites,
    follow: () => undefined,
  };
  return { sent, next, settled: settleHeld(session, settlements, behind) };
}

test('what a handler wrote is undone where it cannot be committed, and its job is retried, with the claim behind that', async () => {
  const { sent, next, settled } = settleRefused({ refusal: 'Unknown' });
  const { written, next: claimed } = await settled;
  expect(written.map(({ event }) => event)).toEqual(['retry']);
  expect(await claimed).toEqual(next);
  expect(sent).toEqual(['complete', 'undo', 'retry']);
});

test('where the claim is gone, nothing is settled instead', async () => {
  const { sent, settled } = settleRefused({ refusal: 'ConnectionLost' });
  await expect(settled).rejects.toMatchObject({ code: 'ConnectionLost' });
  expect(sent).toEqual(['complete']);
});

test.each<[readonly DriverErrorCode[], string]>([
  [[], 'complete'],
  [['InvalidInput'], 'fail'],
])(
  'where nothing was written, each job is settled by itself, and a refused one is reduced: %j',
  async (refusals, end) => {
    const { sent, settled } = settleRefused({ refusal: 'InvalidInput', used: false, refusals });
    const { written, next } = await settled;
    expect(written.map(({ event }) => event)).toEqual([end]);
    expect(next).toBeNull();
    expect(sent).toEqual(['complete', 'complete', ...refusals.map(() => 'fail'), 'commit']);
  },
);

test('a job that is refused in the reduced form too stays as it is, and the claim is committed', async () => {
  const refusals = ['Unknown', 'Unknown'] as const;
  const { sent, settled } = settleRefused({ refusal: 'Unknown', used: false, refusals });
  expect((await settled).written.map(({ event }) => event)).toEqual(['release']);
  expect(sent).toEqual(['complete', 'complete', 'fail', 'left: complete', 'commit']);
});

test('a job that was refused before is settled ahead of the commit, so that another refusal leaves the claim in place', async () => {
  const { sent, settled } = settleRefused({
    refusal: 'Unknown',
    used: false,
    refusals: ['Unknown'],
    isSuspect: true,
  });
  expect((await settled).written.map(({ event }) => event)).toEqual(['complete']);
  expect(sent).toEqual(['complete', 'complete', 'commit']);
});

test('where the refusal has ended the transaction, it is the reason', async () => {
  const { sent, settled } = settleRefused({ refusal: 'Unknown', used: false, refusals: ['TransactionOver'] });
  await expect(settled).rejects.toMatchObject({ code: 'Unknown' });
  expect(sent).toEqual(['complete', 'complete']);
});

test.each<[DriverErrorCode, DriverErrorCode]>([
  ['TransactionOver', 'Unknown'],
  ['ConnectionLost', 'ConnectionLost'],
])('where what was written cannot be undone, by %s, the reason is %s', async (cause, reason) => {
  const undo = () => Promise.reject(new DriverError(cause, 'Too late.'));
  const { sent, settled } = settleRefused({ refusal: 'Unknown', undo });
  await expect(settled).rejects.toMatchObject({ code: reason });
  expect(sent).toEqual(['complete', 'undo']);
});

test('where several handlers have written, a refusal commits none of it', async () => {
  const { sent, settled } = settleRefused({ refusal: 'Unknown', used: false, shareWrites: true });
  await expect(settled).rejects.toMatchObject({ code: 'Unknown' });
  expect(sent).toEqual(['complete']);
});

test('a claim that fails behind a settlement which was not written harms nothing', async () => {
  const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });
  const session: ClaimSession<unknown> = {
    ...driver.claims.session({ idleLimitMs: 1 }),
    finish: async () => ({ settled: [], next: Promise.reject(new DriverError('Unknown', 'Not now.')) }),
  };
  const settlements = {
    settlements: [ending('complete')],
    instead: () => [],
    reduced: () => ending('fail'),
    left: () => {},
    isSuspect: false,
    shareWrites: false,
    follow: () => undefined,
  };
  await expect(settleHeld(session, settlements, behind)).rejects.toMatchObject({
    code: 'ROWLOCK_CLAIM_LOST',
  });
});
