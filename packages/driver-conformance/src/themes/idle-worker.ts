import { defineHandler } from '@rowlock/core';
import { expect } from 'vitest';
import { AnyJson, hire } from '../crew.js';
import { theme } from '../theme.js';
import { until, within } from '../until.js';

/** A worker that has nothing to do keeps its session. A transaction that it left open would hold up the database's own cleaning. */
export const idleWorker = theme('idle worker', (test) => {
  test('holds no transaction after a claim that found nothing, however often it looked', async (stage) => {
    const { queue, database } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    const { worker } = await hire(stage, [handler], { watchInterval: '1h', concurrency: 3 });
    for (let look = 0; look < 5; look++) {
      const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
      if (look === 0) await worker.start();
      else worker.wake();
      await within('the worker is idle', idle);
      await until('no transaction is open', async () => (await database.openTransactions()).length === 0);
    }
  });

  test('holds no transaction after a claim that was refused, nor after one that found everything held', async (stage) => {
    const { queue, key, database, putMany, hold } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    const [first] = await putMany([{ key }, { key }]);
    // The first is free to be claimed, and its sibling is not.
    const { held } = await hold({ line: { priority: 0, id: first?.id ?? 0n } });
    const own = await database.openTransactions();
    expect(own).toHaveLength(1);
    const ownAlone = async () => (await database.openTransactions()).length === own.length;

    const { worker } = await hire(stage, [handler], { watchInterval: '1h' });
    const refused = new Promise<void>((resolve) => worker.on('blocked', () => resolve()));
    await worker.start();
    await within('the worker is refused', refused);
    await until("no transaction is open but the test's", ownAlone);

    await held.lockSiblings({ queue, key }, 10);
    const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
    worker.wake();
    await within('the worker has found everything held', idle);
    await until("no transaction is open but the test's", ownAlone);
  });
});
