import { freshMysqlDatabase } from '@rowlock/servers';
import { afterEach, expect, test, vi } from 'vitest';
import { mysql } from '../src/index.js';
import { sharesSessions } from '../src/shared-sessions.js';
import { serverUrl } from './server.js';

vi.mock('../src/shared-sessions.js');

afterEach(() => {
  vi.resetAllMocks();
});

for (const [what, isShared] of [
  ['sessions of its own', false],
  ['sessions that a proxy lets clients share', true],
] as const) {
  test(`with ${what} a worker's driver ${isShared ? 'interrupts nobody' : 'interrupts a statement that is to be undone'}`, async () => {
    vi.mocked(sharesSessions).mockResolvedValue(isShared);
    const fresh = await freshMysqlDatabase(serverUrl);
    const driver = mysql({ uri: fresh.url });
    try {
      await driver.migrate();
      await driver.verify();
      const anchor = await driver.anchor({ name: 'worker', host: 'host', pid: 1, queues: ['q'] });
      const held = await driver.begin({ idleLimitMs: 60_000 });
      // A sleep that is interrupted says 1.
      const slept = held.handle.query('SELECT SLEEP(4) AS interrupted').then(
        ([[row]]) => row.interrupted === 1,
        () => true,
      );
      await held.rollback();
      expect(await slept).toBe(!isShared);
      await anchor.release();
    } finally {
      await driver.close();
      await fresh.drop();
    }
  });
}
