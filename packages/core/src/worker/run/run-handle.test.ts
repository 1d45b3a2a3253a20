import { expect, test } from 'vitest';
import { emptyDatabase, NOTHING } from '../../../test/empty-database.js';
import { settled } from '../../../test/resting-worker.js';
import { DriverError } from '../../driver/driver-error.js';
import { SharedTransaction } from './shared-transaction.js';

/** A transaction that can be lost, and the statement of each of its handlers: the handle answers when it may be used. */
async function shared() {
  const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });
  const losing = new AbortController();
  const begun = await driver.begin({ idleLimitMs: 1_000 });
  let undone = 0;
  const tx = {
    ...begun,
    lost: losing.signal,
    renew: async () => {},
    async undo() {
      undone += 1;
    },
  };
  const deferred = (ready: () => Promise<unknown>) => ready;
  const both = new SharedTransaction<unknown>({ deferred }, tx, () => Promise.resolve());
  const part = () => {
    const one = both.part();
    return {
      ...one,
      keep: () => one.keep(),
      undo: () => one.undo(),
      query: async (): Promise<unknown> => {
        const { handle } = one;
        if (typeof handle !== 'function') throw new Error('The handle is the function that it waits with.');
        return handle();
      },
    };
  };
  return {
    part,
    undone: () => undone,
    lose: () => losing.abort(new DriverError('ConnectionLost', 'The cable was pulled.')),
  };
}

test('the runs of a batch have their transaction one after the other', async () => {
  const { part } = await shared();
  const [first, second] = [part(), part()];
  await first.query();
  let isThere = false;
  const waits = second.query().then(() => (isThere = true));
  await settled();
  expect(isThere).toBe(false);
  await first.keep();
  await waits;
});

test('when it is lost, those who wait for it learn so, though the run that has it has not ended', async () => {
  const { part, lose } = await shared();
  const [first, second, third] = [part(), part(), part()];
  await first.query();
  const waits = [second.query(), third.query()].map((query) => query.catch(({ code }) => code));
  await settled();
  lose();
  expect(await Promise.all(waits)).toEqual(['ConnectionLost', 'ConnectionLost']);
  await expect(part().query()).rejects.toMatchObject({ code: 'ConnectionLost' });
});

test('runs that are undone while they wait for it ask nothing of it any more, and keep nobody waiting', async () => {
  const { part, undone } = await shared();
  const [first, ...others] = [part(), part(), part(), part()];
  await first.query();
  const waits = others.map((other) => other.query().catch(({ code }) => code));
  await settled();
  await Promise.all(others.map((other) => other.undo()));
  expect(undone()).toBe(0);
  await first.undo();
  expect(undone()).toBe(1);
  expect(await Promise.all(waits)).toEqual(waits.map(() => 'TransactionOver'));
  await part().query();
});
