import { readFile } from 'node:fs/promises';
import { createRowlock, type Driver, defineHandler, type Rowlock } from '@rowlock/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until, within } from './until.js';
import { AnyJson } from './worker-process.js';

/** The accounts that a driver's README makes: applications enqueue as the one, workers claim as the other. */
export type Account = 'producer' | 'worker';

export interface RightsUnderTest<Tx> {
  readonly name: string;
  /** The driver's README. Its section "Rights" has the statements that make the accounts. */
  readonly readme: URL;
  /** Opens a fresh database, migrates it, and runs the README's statements in it. */
  open(statements: readonly string[]): Promise<AccountsDatabase<Tx>>;
  /** The statements by which a worker may also declare and fire schedules: those of the table in that section. */
  readonly schedules: readonly string[];
  /** Statements beyond the rights of each. */
  readonly refused: Readonly<Record<Account, readonly string[]>>;
}

/** A database with the README's accounts. Accounts are the server's: their names must not meet those of other tests. */
export interface AccountsDatabase<Tx> {
  /** Opens a driver that works as this account. */
  driver(as: Account): Driver<Tx>;
  /** Runs a statement as this account, with the plain client. Rejects with the error that the driver makes of the server's. */
  run(as: Account, statement: string): Promise<void>;
  /** Drops the accounts and the database. */
  close(): Promise<void>;
}

/** That the rights in a driver's README suffice, and allow nothing more. A driver's own test file calls this once. */
export function describeRights<Tx>({ name, readme, open, schedules, refused }: RightsUnderTest<Tx>): void {
  describe(name, () => {
    let database: AccountsDatabase<Tx>;
    const drivers: Driver<Tx>[] = [];

    beforeEach(async () => {
      database = await open(await statementsOf(readme));
    });

    afterEach(async () => {
      await Promise.all(drivers.splice(0).map((driver) => driver.close()));
      await database.close();
    });

    const Work = defineHandler({
      kind: 'work',
      queue: 'rights',
      payload: AnyJson,
      group: true,
      run: () => {},
    });

    const rowlockAs = (account: Account): Rowlock<Tx> => {
      const driver = database.driver(account);
      drivers.push(driver);
      return createRowlock({ driver, handlers: [Work] });
    };

    test('with the rights in the README a producer enqueues and finds, and a worker runs', async () => {
      const producer = rowlockAs('producer');
      const worker = rowlockAs('worker').worker({ watchInterval: '20ms' });
      const faults: unknown[] = [];
      worker.on('fault', (error) => faults.push(error));
      worker.on('lost', (_, error) => faults.push(error));
      await worker.start();
      try {
        const first = await producer.enqueue(Work, { payload: 1, key: 'a', unique: 'once' });
        const later = await producer.enqueue(Work, { payload: 2, key: 'a', delay: '300ms' });
        for (const { publicId } of [first, later]) {
          await until(
            'the job is complete',
            async () => (await producer.find(publicId))?.status === 'complete',
          );
        }
        expect((await producer.insight.workers()).map(({ alive }) => alive)).toEqual([true]);
      } finally {
        await within('the end of the worker', worker.stop());
        await producer.jobs.flush();
      }
      expect(faults).toEqual([]);
    });

    test('with the rights in the table a worker declares schedules, and fires them', async () => {
      await database.close();
      database = await open([...(await statementsOf(readme)), ...schedules]);
      const driver = database.driver('worker');
      drivers.push(driver);
      const often = { handler: Work, payload: 1, every: '1s' } as const;
      const rowlock = createRowlock({ driver, handlers: [Work], schedules: { often } });
      const worker = rowlock.worker();
      const faults: unknown[] = [];
      worker.on('fault', (error) => faults.push(error));
      const settled = new Promise<void>((resolve) => worker.on('settled', () => resolve()));
      await worker.start();
      try {
        await within('a tick', settled);
        await rowlock.schedules.pause('often');
        await rowlock.schedules.resume('often');
        expect(await rowlock.schedules.list()).toMatchObject([{ name: 'often', orphaned: false }]);
        expect(await rowlock.schedules.remove('often')).toBe(true);
      } finally {
        await within('the end of the worker', worker.stop());
      }
      expect(faults).toEqual([]);
    });

    for (const account of ['producer', 'worker'] as const) {
      test(`a ${account} may verify, and migrate where nothing is missing`, async () => {
        const rowlock = rowlockAs(account);
        await rowlock.insight.verify();
        expect(await rowlock.migrate()).toMatchObject({ applied: [] });
      });

      test(`these rights allow a ${account} nothing more`, async () => {
        for (const statement of refused[account]) {
          await expect(database.run(account, statement), statement).rejects.toMatchObject({
            code: 'PermissionDenied',
          });
        }
      });
    }
  });
}

/** The statements as they are, one by one. */
async function statementsOf(readme: URL): Promise<readonly string[]> {
  const text = await readFile(readme, 'utf8');
  const sql = /^## Rights$.*?^```sql$(.*?)^```$/ms.exec(text)?.[1] ?? '';
  const statements = sql
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  expect(statements.length, 'statements in the README').toBeGreaterThan(0);
  return statements;
}
