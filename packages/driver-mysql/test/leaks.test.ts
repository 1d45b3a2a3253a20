import { createConnection } from 'mysql2/promise';
import { expect, test } from 'vitest';
import { openMysqlHarness } from './mysql-harness.js';
import { product, serverUrl } from './server.js';

test('a transaction that is left open is told as a leak, and what ends is none', async () => {
  const database = await openMysqlHarness(serverUrl, product).database();
  const other = await createConnection(serverUrl);
  try {
    const { driver, close } = await database.process();
    await driver.schema.migrate();
    const held = driver.claims.session({ idleLimitMs: 60_000 });
    await held.lockSiblings({ queue: 'q', keys: ['k'] }, 1);
    // The list of processes could not be made meanwhile.
    const rowing = other.query("SELECT SLEEP(0.2), '🚣' AS boat");
    expect(await database.leaks()).toEqual([expect.stringMatching(/^process 1, in a transaction: /)]);
    await held.rollback();
    expect(await database.leaks()).toEqual([]);
    await rowing;
    const caller = await database.caller();
    expect(await database.leaks()).toEqual([expect.stringMatching(/^plain, in a transaction: /)]);
    await caller.commit();
    expect(await database.leaks()).toEqual([]);
    await close();
  } finally {
    await other.end();
    await database.close();
  }
});
