import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection, createPool } from 'mysql2/promise';
import { afterEach, expect, test, vi } from 'vitest';
import { MysqlAnchor } from '../src/anchor.js';
import { context } from '../src/context.js';
import { mysql } from '../src/index.js';
import { serverUrl } from './server.js';

afterEach(() => {
  vi.useRealTimers();
});

test('a worker that stops while its sleep has just ended, and the answer is still on its way, stops at once', async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  const driver = mysql({ uri: fresh.url });
  const pool = createPool(fresh.url);
  const session = await createConnection(fresh.url);
  try {
    await driver.migrate();
    const own = context(new URL(fresh.url).pathname.slice(1), 20_000);
    const anchor = await MysqlAnchor.open(own, pool, async () => session, 1, true);
    expect(anchor.pushed).toBe(true);
    const stopping = new AbortController();
    const wakeUps = anchor.wakeUps({ queues: ['q'], everyMs: 3_600_000, signal: stopping.signal });
    expect(await wakeUps.next()).toMatchObject({ done: false });

    vi.useFakeTimers({ toFake: ['performance'] });
    vi.spyOn(session, 'execute').mockReturnValue(new Promise(() => {}));
    const next = wakeUps.next();
    vi.advanceTimersByTime(1_000);
    stopping.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    await anchor.release();
  } finally {
    await pool.end();
    await driver.close();
    await fresh.drop();
  }
});
