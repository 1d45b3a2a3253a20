import { freshMysqlDatabase } from '@rowlock/servers';
import { createPool, type Pool } from 'mysql2/promise';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { sharesSessions } from '../src/connection/shared-sessions.js';
import { mysql } from '../src/index.js';
import { serverUrl } from './server.js';

// The files of a project share what they import: this one imports anew, and so does the next.
vi.hoisted(() => vi.resetModules());
vi.mock('../src/connection/shared-sessions.js');
afterAll(() => {
  vi.doUnmock('../src/connection/shared-sessions.js');
  vi.resetModules();
});

afterEach(() => {
  vi.resetAllMocks();
});

async function sleeps(plain: Pool, sleep: string): Promise<boolean> {
  const [rows] = await plain.query<never>('SHOW PROCESSLIST');
  return Object.values<{ Info: string | null }>(rows).some(({ Info }) => Info === sleep);
}

for (const [title, isShared, seconds] of [
  ['sessions of its own interrupts a statement that is to be undone', false, 60],
  // This one is slept to its end.
  ['sessions that a proxy lets clients share interrupts nobody', true, 4],
] as const) {
  test(`the driver of a worker with ${title}`, async () => {
    vi.mocked(sharesSessions).mockResolvedValue(isShared);
    const fresh = await freshMysqlDatabase(serverUrl);
    const driver = mysql({ uri: fresh.url });
    const plain = createPool(fresh.url);
    try {
      await driver.schema.migrate();
      const anchor = await driver.workers.anchor({ name: 'worker', host: 'host', pid: 1, queues: ['q'] });
      const held = driver.claims.session({ idleLimitMs: 60_000 });
      const sleep = `SELECT SLEEP(${seconds}) AS interrupted`;
      let isOver = false;
      // A sleep that is interrupted says 1, or fails.
      const interrupted = held.handle
        .query(sleep)
        .then(
          ([[row]]) => row.interrupted === 1,
          () => true,
        )
        .finally(() => {
          isOver = true;
        });
      while (!isOver && !(await sleeps(plain, sleep)));
      await held.rollback();
      expect(await interrupted).toBe(!isShared);
      await anchor.release();
    } finally {
      await plain.end();
      await driver.close();
      await fresh.drop();
    }
  });
}
