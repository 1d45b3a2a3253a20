import { createRowlock, increment, type Rowlock } from '@rowlock/core';
import { freshMysqlDatabase } from '@rowlock/servers';
import { type Connection, createConnection, createPool, type Pool } from 'mysql2/promise';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { context } from '../src/context.js';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { MysqlJoinableSchedules } from '../src/schedules/schedules.js';
import { recordLocks } from './record-locks.js';
import { serverUrl } from './server.js';

const Anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;
const Work = { kind: 'work', payload: Anything };
const HOURLY = { handler: Work, payload: 1, every: '1h' } as const;
const NOBODY = '11111111-1111-4111-8111-111111111111';
const TABLES = [
  ...['job', 'pause', 'limit_setting', 'schedule', 'follower', 'expiry'],
  ...['bell', 'rate', 'run', 'audit'],
];

let database: Awaited<ReturnType<typeof freshMysqlDatabase>>;
let reader: Pool;
let rowlock: Rowlock<MysqlTransaction>;
let driver: ReturnType<typeof mysql>;

beforeAll(async () => {
  database = await freshMysqlDatabase(serverUrl);
  reader = createPool({ uri: database.url });
  driver = mysql({ uri: database.url });
  rowlock = createRowlock({ driver });
  await rowlock.migrate();
});

beforeEach(async () => {
  for (const table of TABLES) await reader.query(`DELETE FROM rowlock_${table}`);
});

afterAll(async () => {
  await rowlock.close();
  await reader.end();
  await database.drop();
});

/** The gaps that others cannot insert into, as the server says. */
async function gaps(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const table of TABLES)
    for (const { index, mode, key } of await recordLocks(
      reader,
      new URL(database.url).pathname.slice(1),
      `rowlock_${table}`,
    ))
      if (!/REC_NOT_GAP|^IX|^IS/.test(mode)) found.push(`${table} ${index} ${mode} ${key}`);
  return found;
}

/** An application's transaction, at the server's default isolation, which has read something. */
async function within(
  work: (tx: Connection) => Promise<void>,
  before: (tx: Connection) => Promise<unknown> = async () => {},
): Promise<void> {
  const tx = await createConnection({ uri: database.url });
  try {
    await tx.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await tx.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
    await tx.query('SELECT COUNT(*) FROM rowlock_job');
    await before(tx);
    await work(tx);
  } finally {
    await tx.end();
  }
}

/** Every call that may be joined, about something that is not there, and what comes of it. */
const CALLS: Readonly<Record<string, (tx: Connection, id?: string) => Promise<unknown>>> = {
  'jobs.pause': (tx) => rowlock.jobs.pause({ kind: 'm' }, {}, { tx }),
  'jobs.resume of a kind': (tx) => rowlock.jobs.resume({ kind: 'm' }, { tx }),
  'jobs.resume of all': (tx) => rowlock.jobs.resume('all', { tx }),
  'schedules.set': (tx) => rowlock.schedules.set('m', HOURLY, { tx }),
  'schedules.pause': (tx) => rowlock.schedules.pause('m', { tx }),
  'schedules.resume': (tx) => rowlock.schedules.resume('m', { tx }),
  'schedules.remove': (tx) => rowlock.schedules.remove('m', { tx }),
  cancel: (tx, id = NOBODY) => rowlock.cancel(id, { tx }),
  redrive: (tx, id = NOBODY) => rowlock.redrive(id, { tx }),
  update: (tx, id = NOBODY) => rowlock.update(id, { priority: 1 }, { tx }),
  'jobs.updateMetadata': (tx, id = NOBODY) => rowlock.jobs.updateMetadata(id, [increment('n')], { tx }),
  'jobs.updatePayload': (tx, id = NOBODY) => rowlock.jobs.updatePayload(id, [increment('n')], { tx }),
  find: (tx, id = NOBODY) => rowlock.find(id, { tx }),
  'jobs.list': (tx) => rowlock.jobs.list({ kind: 'm' }, { tx }),
  'jobs.count': (tx) => rowlock.jobs.count({ status: 'in-progress' }, { tx }),
  'jobs.pauses': (tx) => rowlock.jobs.pauses({ tx }),
  enqueue: (tx) => rowlock.enqueue(Work, { payload: 1, unique: 'enqueue m' }, { tx }),
  'enqueue that replaces': (tx) =>
    rowlock.enqueue(Work, { payload: 1, unique: { key: 'm', onDuplicate: 'replace' } }, { tx }),
  'enqueue after a job': (tx, id = NOBODY) => rowlock.enqueue(Work, { payload: 1, after: [id] }, { tx }),
  'enqueue that expires': (tx) =>
    rowlock.enqueue(Work, { payload: 1, unique: 'expires m', expires: '1h' }, { tx }),
  'jobs.pause by an operator': (tx) => rowlock.as('ann').jobs.pause({ kind: 'm' }, {}, { tx }),
  'jobs.resume by an operator': (tx) => rowlock.as('ann').jobs.resume({ kind: 'm' }, { tx }),
  'schedules.remove by an operator': (tx) => rowlock.as('ann').schedules.remove('m', { tx }),
  'cancel by an operator': (tx, id = NOBODY) => rowlock.as('ann').cancel(id, { tx }),
  'update by an operator': (tx, id = NOBODY) => rowlock.as('ann').update(id, { priority: 1 }, { tx }),
  'limits set by the driver': (tx) => driver.join(tx).admission.set('m', { max: 1 }, 'ann'),
  'limits unset by the driver': (tx) => driver.join(tx).admission.set('m', null, 'ann'),
  'CALL rowlock_pause': (tx) => tx.query("CALL rowlock_pause('kind', 'm', NULL, NULL, NULL)"),
  'CALL rowlock_resume': (tx) => tx.query("CALL rowlock_resume('kind', 'm')"),
};

describe("in a caller's transaction, a call about something absent keeps no gap", () => {
  test.each(Object.keys(CALLS))('%s', async (name) => {
    for (const neighbour of ['a', 'z']) {
      await rowlock.jobs.pause({ kind: neighbour });
      await rowlock.schedules.set(neighbour, HOURLY);
      await rowlock.limits.set(neighbour, { max: 1 });
      await rowlock.enqueue(Work, { payload: 1, unique: neighbour });
    }
    await within(async (tx) => {
      await CALLS[name]?.(tx).catch(() => {});
      expect(await gaps()).toEqual([]);
    });
  });
});

describe('nor where it is there in the snapshot of the transaction, and others have deleted it since', () => {
  test.each(Object.keys(CALLS))('%s', async (name) => {
    await rowlock.jobs.pause({ kind: 'm' });
    await rowlock.jobs.pause('all');
    await rowlock.schedules.set('m', HOURLY);
    await rowlock.schedules.pause('m');
    await rowlock.limits.set('m', { max: 1 });
    const { publicId } = await rowlock.enqueue(Work, { payload: 1 });
    await within(
      async (tx) => {
        await CALLS[name]?.(tx, publicId).catch(() => {});
        expect(await gaps()).toEqual([]);
      },
      async () => {
        await rowlock.jobs.resume({ kind: 'm' });
        await rowlock.jobs.resume('all');
        await rowlock.schedules.remove('m');
        await rowlock.limits.reset('m');
        await reader.query('DELETE FROM rowlock_job');
      },
    );
  });
});

describe('nor about something that is there', () => {
  test.each(Object.keys(CALLS))('%s', async (name) => {
    await rowlock.jobs.pause({ kind: 'm' });
    await rowlock.jobs.pause('all');
    await rowlock.schedules.set('m', HOURLY);
    if (name === 'schedules.resume') await rowlock.schedules.pause('m');
    await rowlock.limits.set('m', { max: 1 });
    const { publicId } = await rowlock.enqueue(Work, { payload: {} });
    if (name === 'redrive') await rowlock.cancel(publicId);
    await within(async (tx) => {
      await CALLS[name]?.(tx, publicId);
      expect(await gaps()).toEqual([]);
    });
  });
});

/** A call that undoes what the call of the same name does, and may be made again. */
const BACK: Readonly<Record<string, (tx: Connection, id: string) => Promise<unknown>>> = {
  'jobs.pause': (tx) => rowlock.jobs.resume({ kind: 'm' }, { tx }),
  'jobs.resume of a kind': (tx) => rowlock.jobs.pause({ kind: 'm' }, {}, { tx }),
  'jobs.resume of all': (tx) => rowlock.jobs.pause('all', {}, { tx }),
  'schedules.set': (tx) => rowlock.schedules.remove('m', { tx }),
  'schedules.pause': (tx) => rowlock.schedules.resume('m', { tx }),
  'schedules.resume': (tx) => rowlock.schedules.pause('m', { tx }),
  'schedules.remove': (tx) => rowlock.schedules.set('m', HOURLY, { tx }),
  'limits set by the driver': (tx) => driver.join(tx).admission.set('m', null, 'ann'),
  'limits unset by the driver': (tx) => driver.join(tx).admission.set('m', { max: 2 }, 'ann'),
  'CALL rowlock_pause': (tx) => tx.query("CALL rowlock_resume('kind', 'm')"),
  'CALL rowlock_resume': (tx) => tx.query("CALL rowlock_pause('kind', 'm', NULL, NULL, NULL)"),
};

describe('nor twice in one transaction, nor when it is undone in between', () => {
  test.each(Object.keys(CALLS))('%s', async (name) => {
    for (const kind of ['a', 'm', 'z']) {
      await rowlock.jobs.pause({ kind });
      await rowlock.schedules.set(kind, HOURLY);
      await rowlock.limits.set(kind, { max: 1 });
    }
    const { publicId } = await rowlock.enqueue(Work, { payload: {} });
    await within(async (tx) => {
      for (const call of [CALLS[name], CALLS[name], BACK[name], BACK[name], CALLS[name]])
        await call?.(tx, publicId).catch(() => {});
      expect(await gaps()).toEqual([]);
    });
  });
});

/** Takes a unique key that a job had in the snapshot of the transaction: its entry is still in the index, as one that is deleted. */
const TAKES: Readonly<Record<string, (tx: Connection, id: string) => Promise<unknown>>> = {
  enqueue: (tx) => rowlock.enqueue(Work, { payload: 1, unique: 'm' }, { tx }),
  redrive: (tx, id) => rowlock.redrive(id, { tx }),
};

// InnoDB's check for duplicates may lock the gaps beside such an entry, at every isolation.
describe('a unique key that a job had until a moment ago is taken beside its neighbours, who wait for the commit at most', () => {
  test.each(Object.keys(TAKES))('%s', async (name) => {
    // Keys of its own: entries that another test has left behind would stand between these.
    const put = (key: string) => rowlock.enqueue(Work, { payload: 1, unique: `${name} ${key}` });
    const { publicId } = await put('m');
    for (const key of ['a', 'z']) await put(key);
    await within(
      async (tx) => {
        await TAKES[name]?.(tx, publicId);
        await rowlock.enqueue(Work, { payload: 1 });
        await put('zz');
        await put('A');
        const beside = put('l');
        await tx.query('COMMIT');
        expect(await beside).toMatchObject({ outcome: 'enqueued' });
      },
      () => rowlock.cancel(publicId),
    );
  });
});

test('outside of a transaction the pause of an absent schedule asks for no lock that others may have', async () => {
  const sent: string[] = [];
  const on: MysqlTransaction = {
    query: (sql, values) => reader.query(sql, values),
    execute: (sql, values) => {
      sent.push(sql);
      return reader.execute(sql, values);
    },
  };
  const { sql } = context(new URL(database.url).pathname.slice(1), 5_000);
  const schedules = new MysqlJoinableSchedules(sql, { on, outside: on });
  expect(await schedules.pause('m', 'ann')).toBe(false);
  expect(sent).toEqual([sql.schedules.pauseSchedule]);
});

test("what the caller's transaction itself has written is there", async () => {
  await within(async (tx) => {
    await rowlock.jobs.pause({ kind: 'm' }, {}, { tx });
    await rowlock.jobs.resume({ kind: 'm' }, { tx });
    await driver.join(tx).admission.set('m', { max: 1 }, 'ann');
    await driver.join(tx).admission.set('m', null, 'ann');
    await rowlock.schedules.set('m', HOURLY, { tx });
    await rowlock.schedules.pause('m', { tx });
    await rowlock.schedules.resume('m', { tx });
    expect(await rowlock.schedules.remove('m', { tx })).toBe(true);
    await tx.query('COMMIT');
  });
  expect(await rowlock.jobs.pauses()).toEqual([]);
  expect(await rowlock.limits.list()).toEqual([]);
  expect(await rowlock.schedules.list()).toEqual([]);
});

test('what others have written since the snapshot is there', async () => {
  await within(
    async (tx) => {
      await rowlock.jobs.resume({ kind: 'm' }, { tx });
      expect(await rowlock.schedules.remove('m', { tx })).toBe(true);
      await tx.query('COMMIT');
    },
    async () => {
      await rowlock.jobs.pause({ kind: 'm' });
      await rowlock.schedules.set('m', HOURLY);
    },
  );
  expect(await rowlock.jobs.pauses()).toEqual([]);
  expect(await rowlock.schedules.list()).toEqual([]);
});
