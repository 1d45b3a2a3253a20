import { createRowlock, defineHandler } from '@rowlock/core';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { call, objects } from './call.js';
import { SERVERS, stages } from './servers.js';

const stage = stages();

type Server = (typeof SERVERS)[number];

const NAMES = {
  Postgres: { migrations: 'rowlock.rowlock_migration', place: 'schema "rowlock"' },
  MySQL: { migrations: 'rowlock_migration', place: 'database "' },
} as const;

/** What the error says behind the place, and what doctor says. */
interface Reason {
  readonly message: string;
  readonly what: string;
  readonly remedy: string;
}

const EDITED: Reason = {
  message: 'the migration 0001_jobs .* Use the version that',
  what: '0001_jobs',
  remedy: 'Use the version that made them',
};

const refused = ({ name }: Server, { message }: Reason) => ({
  name: 'DriverError',
  code: 'SchemaDiffers',
  message: expect.stringMatching(new RegExp(`^Rowlock's tables in the ${NAMES[name].place}.* ${message}`)),
});

/** Says statements past Rowlock. */
async function said(server: Server, url: string, statements: readonly string[]): Promise<void> {
  if (server.name === 'Postgres') {
    const client = new pg.Client(url);
    await client.connect();
    for (const statement of statements) await client.query(statement);
    return client.end();
  }
  const client = await createConnection(url);
  for (const statement of statements) await client.query(statement);
  return client.end();
}

async function expectRefused(server: Server, url: string, reason = EDITED): Promise<void> {
  const Idle = defineHandler({ kind: 'idle', payload: z.null(), run: () => null });
  const rowlock = createRowlock<unknown>({ driver: server.driver(url), handlers: [Idle] });
  onTestFinished(() => rowlock.close());
  await expect(rowlock.migrate()).rejects.toMatchObject(refused(server, reason));
  await expect(rowlock.insight.verify()).rejects.toMatchObject(refused(server, reason));
  await expect(rowlock.worker().start()).rejects.toMatchObject(refused(server, reason));
  const doctor = await call(['doctor', '--json'], { url });
  expect(doctor.code).toBe(1);
  expect(objects(doctor.stdout)).toContainEqual(
    expect.objectContaining({
      check: 'schema',
      severity: 'broken',
      what: expect.stringContaining(reason.what),
      remedy: expect.stringContaining(reason.remedy),
    }),
  );
}

test.each(SERVERS)(
  'tables that an edited migration made are refused by migrate, verify, a worker and doctor, on $name',
  async (server) => {
    const { url } = await stage(server, { alters: true });
    const { migrations } = NAMES[server.name];
    await said(server, url, [`UPDATE ${migrations} SET checksum = '${'0'.repeat(64)}' WHERE version = 1`]);
    await expectRefused(server, url);
  },
);

test.each(SERVERS)('so are tables of the time before checksums, on $name', async (server) => {
  const { url, drop } = await server.fresh();
  onTestFinished(drop);
  const { migrations } = NAMES[server.name];
  await said(server, url, [
    ...(server.name === 'Postgres' ? ['CREATE SCHEMA rowlock'] : []),
    `CREATE TABLE ${migrations} (version int PRIMARY KEY, name varchar(128), applied_at timestamp)`,
    `INSERT INTO ${migrations} VALUES (1, '0001_jobs', NULL), (2, '0002_enqueue', NULL), (3, '0003_limits', NULL)`,
  ]);
  await expectRefused(server, url);
});

test.each(SERVERS)('a later version may have applied more than this one has, on $name', async (server) => {
  const { url, rowlock } = await stage(server, { alters: true });
  const { migrations } = NAMES[server.name];
  const later = `INSERT INTO ${migrations} (version, name, checksum) VALUES (99, '0099_later', '${'0'.repeat(64)}')`;
  await said(server, url, [later]);
  await rowlock.insight.verify();
  expect(await rowlock.migrate()).toEqual({ from: 99, to: 99, applied: [] });
});

test.each(SERVERS)(
  'a migration without its record, before one that has its own, is found by all of them, on $name',
  async (server) => {
    const { url } = await stage(server);
    const { migrations } = NAMES[server.name];
    const left = server.name === 'Postgres' ? 1 : 2;
    await said(server, url, [
      `DELETE FROM ${migrations} WHERE version = ${left}`,
      `INSERT INTO ${migrations} (version, name, checksum) VALUES (99, '0099_later', '${'0'.repeat(64)}')`,
    ]);
    await expectRefused(server, url, {
      message: `the migration \\d+ .* none of the migration ${left}: .* put the record back`,
      what: `none of the migration ${left}`,
      remedy: 'put the record back',
    });
  },
);
