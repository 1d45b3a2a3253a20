import { createRowlock, defineHandler } from '@rowlock/core';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { type PostgresTransaction, postgres } from '../src/index.js';

const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

type Row = Readonly<Record<string, unknown>>;

/** What a library may make of a row. */
const SHAPES: Readonly<Record<string, (row: Row) => unknown>> = {
  'with its columns in capitals': (row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toUpperCase(), value])),
  'as a list': (row) => Object.values(row),
  'with each text that looks like JSON read as such': (row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        /^[[{]/.test(String(value)) ? JSON.parse(String(value)) : value,
      ]),
    ),
};

const handler = defineHandler({ kind: 'k', payload: anything, run: () => {} });

/** A database with one job, and a client of it. */
async function stage(options: object = {}) {
  const fresh = await freshDatabase(inject('postgresUrl'));
  onTestFinished(fresh.drop);
  const client = new pg.Client({ connectionString: fresh.url, ...options });
  await client.connect();
  onTestFinished(() => client.end());
  const rowlock = createRowlock({
    driver: postgres({ connectionString: fresh.url }),
    handlers: [handler],
  });
  onTestFinished(() => rowlock.close());
  await rowlock.migrate();
  return { client, rowlock, publicId: (await rowlock.enqueue(handler, { payload: 1 })).publicId };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** That each call with the client's transaction is refused, and writes nothing. */
async function expectRefused({ client, rowlock, publicId }: Stage, tx: PostgresTransaction) {
  await client.query('BEGIN');
  const refused = { code: 'InvalidInput', message: expect.stringContaining('form that is not known') };
  await expect(rowlock.enqueue(handler, { payload: 2 }, { tx })).rejects.toMatchObject(refused);
  await expect(rowlock.cancel(publicId, { tx })).rejects.toMatchObject(refused);
  await expect(rowlock.find(publicId, { tx })).rejects.toMatchObject(refused);
  await client.query('COMMIT');
  expect((await rowlock.jobs.list()).jobs).toMatchObject([{ publicId, status: 'new' }]);
}

test.each(Object.keys(SHAPES))(
  'an object that answers with a row %s is refused before anything is written',
  async (shape) => {
    const staged = await stage();
    const { client } = staged;
    // As a library that has no types of ours.
    const tx: PostgresTransaction = JSON.parse('0', () => ({
      async query(text: string, values: unknown[]) {
        const { rows } = await client.query<Row>(text, values);
        return { rows: rows.map((row) => SHAPES[shape]?.(row)) };
      },
    }));
    await expectRefused(staged, tx);
  },
);

test('a client whose answers are no texts is refused before anything is written', async () => {
  const staged = await stage({ binary: true });
  await expectRefused(staged, staged.client);
});
