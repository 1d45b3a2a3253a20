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

const refused = ({ name }: Server) => ({
  name: 'DriverError',
  code: 'SchemaDiffers',
  message: expect.stringMatching(
    new RegExp(
      `^Rowlock's tables in the ${NAMES[name].place}.* the migration 0001_jobs .* Use the version that`,
    ),
  ),
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

async function expectRefused(server: Server, url: string): Promise<void> {
  const Idle = defineHandler({ kind: 'idle', payload: z.null(), run: () => null });
  const rowlock = createRowlock<unknown>({ driver: server.driver(url), handlers: [Idle] });
  onTestFinished(() => rowlock.close());
  await expect(rowlock.migrate()).rejects.toMatchObject(refused(server));
  await expect(rowlock.insight.verify()).rejects.toMatchObject(refused(server));
  await expect(rowlock.worker().start()).rejects.toMatchObject(refused(server));
  const doctor = await call(['doctor', '--json'], { url });
  expect(doctor.code).toBe(1);
  expect(objects(doctor.stdout)).toContainEqual(
    expect.objectContaining({
      check: 'schema',
      severity: 'broken',
      what: expect.stringContaining('0001_jobs'),
      remedy: expect.stringContaining('Use the version that made them'),
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
