import { freshMysqlDatabase } from '@rowlock/servers';
import { type Connection, createConnection, createPool, type Pool, type RowDataPacket } from 'mysql2/promise';
import { afterEach, expect, test, vi } from 'vitest';
import { interrupt } from '../src/connection/session-control.js';
import { context } from '../src/context.js';
import { mysql } from '../src/index.js';
import { MysqlAnchor } from '../src/workers/anchor.js';
import { WorkerRow } from '../src/workers/worker-row.js';
import { serverUrl } from './server.js';

const partsOf = (schema: string) => ({ context: context(schema, 20_000), push: true, session: undefined });

afterEach(() => {
  vi.useRealTimers();
});

test('a worker that stops while its sleep has just ended, and the answer is still on its way, stops at once', async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  const driver = mysql({ uri: fresh.url });
  const pool = createPool(fresh.url);
  const session = await createConnection(fresh.url);
  try {
    await driver.schema.migrate();
    const parts = partsOf(new URL(fresh.url).pathname.slice(1));
    const row = await WorkerRow.add(pool, parts.context.sql, { name: 'w', host: 'h', pid: 1, queues: ['q'] });
    const anchor = await MysqlAnchor.open({ ...parts, pool, connect: async () => session, row }, session);
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

test('a worker is called while it is still opening its session, by whoever has seen its lock', async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  const driver = mysql({ uri: fresh.url });
  const pool = createPool(fresh.url);
  const session = await createConnection(fresh.url);
  try {
    await driver.schema.migrate();
    const parts = partsOf(new URL(fresh.url).pathname.slice(1));
    const execute = session.execute.bind(session);
    let toBeCalled = false;
    vi.spyOn(session, 'execute').mockImplementation(async (...statement) => {
      if (toBeCalled) {
        toBeCalled = false;
        await interrupted(session, pool);
      }
      const answer = await execute(...statement);
      toBeCalled = String(statement[0]).includes('GET_LOCK');
      return answer;
    });
    const row = await WorkerRow.add(pool, parts.context.sql, { name: 'w', host: 'h', pid: 1, queues: ['q'] });
    const anchor = await MysqlAnchor.open({ ...parts, pool, connect: async () => session, row }, session);
    expect(anchor.pushed).toBe(true);
    await anchor.release();
  } finally {
    await pool.end();
    await driver.close();
    await fresh.drop();
  }
});

test('a released worker has released its lock, also on a server that is late to end a session', async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  const driver = mysql({ uri: fresh.url });
  const pool = createPool(fresh.url);
  const [session, reader] = [await createConnection(fresh.url), await createConnection(fresh.url)];
  try {
    await driver.schema.migrate();
    const parts = partsOf(new URL(fresh.url).pathname.slice(1));
    const row = await WorkerRow.add(pool, parts.context.sql, { name: 'w', host: 'h', pid: 1, queues: ['q'] });
    const anchor = await MysqlAnchor.open({ ...parts, pool, connect: async () => session, row }, session);
    const [send, execute] = [pool.query.bind(pool), pool.execute.bind(pool)];
    const late: (() => void)[] = [];
    vi.spyOn(pool, 'query').mockImplementation(async (...statement) => {
      if (!String(statement[0]).startsWith('KILL')) return send(...statement);
      late.push(() => void send(...statement));
      return send('DO 0');
    });
    vi.spyOn(pool, 'execute').mockImplementation((...statement) => {
      const answer = execute(...statement);
      for (const end of late.splice(0)) end();
      return answer;
    });
    // A session that sleeps does not notice that its client is gone.
    const wakeUps = anchor.wakeUps({
      queues: ['q'],
      everyMs: 3_600_000,
      signal: new AbortController().signal,
    });
    await wakeUps.next();
    const next = wakeUps.next();
    await vi.waitFor(async () => {
      const [sessions] = await reader.query<RowDataPacket[]>('SHOW FULL PROCESSLIST');
      const statement = sessions.find(({ Id }) => Id === session.threadId)?.Info;
      expect(statement).toContain('SLEEP');
    }, 30_000);
    await anchor.release();
    const name = `${parts.context.lockPrefix}${anchor.workerId}`;
    const [[lock]] = await reader.query<RowDataPacket[]>('SELECT IS_USED_LOCK(?) AS session', [name]);
    expect(lock).toEqual({ session: null });
    expect(await next).toEqual({ done: true, value: undefined });
  } finally {
    await reader.end();
    await pool.end();
    await driver.close();
    await fresh.drop();
  }
});

/** Fails with what a statement of a session fails with that a call meets. */
async function interrupted(session: Connection, pool: Pool): Promise<void> {
  const calls = setInterval(() => void interrupt(pool, `${session.threadId}`), 20);
  // Only part of a statement, and not all there is to it, it says so by an error.
  const slow = session.query('SELECT 1 FROM information_schema.collations WHERE SLEEP(30)');
  await slow.finally(() => clearInterval(calls));
}
