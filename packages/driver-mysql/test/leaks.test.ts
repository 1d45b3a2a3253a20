import '@rowlock/servers/vitest';
import { createConnection } from 'mysql2/promise';
import { expect, inject, test } from 'vitest';
import { openMysqlHarness } from './mysql-harness.js';

test('a transaction that is left open is told as a leak, and what ends is none', async () => {
  const database = await openMysqlHarness(inject('mysqlUrl')).database();
  const other = await createConnection(inject('mysqlUrl'));
  try {
    const { driver, close } = await database.process();
    await driver.migrate();
    const held = await driver.begin({ idleLimitMs: 60_000 });
    // The list of processes could not be made meanwhile.
    const rowing = other.query("SELECT SLEEP(0.2), '🚣' AS boat");
    expect(await database.leaks()).toEqual(['process 1, in a transaction: null']);
    await held.rollback();
    expect(await database.leaks()).toEqual([]);
    await rowing;
    const caller = await database.caller();
    expect(await database.leaks()).toEqual(['plain, in a transaction: null']);
    await caller.commit();
    expect(await database.leaks()).toEqual([]);
    await close();
  } finally {
    await other.end();
    await database.close();
  }
});
