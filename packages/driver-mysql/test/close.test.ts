import { freshMysqlDatabase } from '@rowlock/servers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AheadOfCommit } from '../src/ahead-of-commit.js';
import { mysql } from '../src/index.js';
import { Ringer } from '../src/ringer.js';
import { serverUrl } from './server.js';

test.each([
  ['the ringer', Ringer.prototype],
  ['the pool for records', AheadOfCommit.prototype],
])('when %s cannot be closed, everything else is, and whoever closes is told', async (_, part) => {
  const fresh = await freshMysqlDatabase(serverUrl);
  onTestFinished(() => fresh.drop());
  const driver = mysql({ uri: fresh.url });
  const close = vi.spyOn(part, 'close').mockImplementation(async function (this: typeof part) {
    close.mockRestore();
    await this.close();
    throw new Error('not now');
  });
  await driver.migrate();
  await driver.workers();
  await expect(driver.close()).rejects.toThrow('not now');
  await expect(driver.workers()).rejects.toThrow('Pool is closed');
  await expect(driver.close()).rejects.toThrow('not now');
});
