import { defineHandler } from '@rowlock/core';
import { expect } from 'vitest';
import { theme } from '../theme.js';
import { until, within } from '../until.js';
import { AnyJson, openWorker } from '../worker-process.js';

/** With this timeout the server lets a transaction idle for longer than a test looks. */
const LONG = '1h';

/** A worker that has nothing to do keeps its session. A transaction that it left open would hold up the database's own cleaning. */
export const idleWorker = theme('idle worker', (test) => {
  test('holds no transaction after a claim that found nothing, however often it looked', async (stage) => {
    const { queue, database } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, timeout: LONG, run: () => {} });
    const { worker } = await openWorker(stage, [handler], { watchInterval: '1h', concurrency: 3 });
    for (let look = 0; look < 5; look++) {
      const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
      if (look === 0) await worker.start();
      else worker.wake();
      await within('the worker is idle', idle);
      await until('no transaction is open', async () => (await database.openTransactions()).length === 0);
    }
  });

  for (const [what, isFree] of [
    ['was refused', true],
    ['found everything held', false],
  ] as const) {
    test(`holds no transaction after a claim that ${what}`, async (stage) => {
      const { queue, key, database, putMany, hold } = stage;
      const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, timeout: LONG, run: () => {} });
      const [first] = await putMany([{ key }, { key }]);
      // The last is held here. The first, if it is free, is refused for that.
      const { held } = await hold({ line: { priority: 0, id: first?.id ?? 0n } });
      if (!isFree) await held.lockSiblings({ queue, keys: [key] }, 10);
      const own = await database.openTransactions();
      expect(own).toHaveLength(1);

      const { worker } = await openWorker(stage, [handler], { watchInterval: '1h' });
      let refusals = 0;
      worker.on('blocked', () => (refusals += 1));
      const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
      await worker.start();
      await within('the worker is idle', idle);
      expect(refusals > 0).toBe(isFree);
      await until("no transaction is open but the test's", async () => {
        const open = await database.openTransactions();
        return open.length === own.length;
      });
    });
  }
});
