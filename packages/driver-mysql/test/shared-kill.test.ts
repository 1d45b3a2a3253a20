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

const SLEEP = 'SELECT SLEEP(4) AS interrupted';

async function sleeps(plain: Pool): Promise<boolean> {
  const [rows] = await plain.query<never>('SHOW PROCESSLIST');
  return Object.values<{ Info: string | null }>(rows).some(({ Info }) => Info === SLEEP);
}

for (const [title, isShared] of [
  ['sessions of its own interrupts a statement that is to be undone', false],
  ['sessions that a proxy lets clients share interrupts nobody', true],
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
      // A sleep that is interrupted says 1, or fails.
      const interrupted = held.handle.query(SLEEP).then(
        ([[row]]) => row.interrupted === 1,
        () => true,
      );
      await expect.poll(() => sleeps(plain), { interval: 20 }).toBe(true);
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
