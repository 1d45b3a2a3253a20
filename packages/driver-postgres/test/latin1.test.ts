import { createRowlock, defineHandler, type Json } from '@rowlock/core';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { postgres } from '../src/index.js';

const AnyJson = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value: value as Json }) },
} as const;

/** A database in LATIN1, which holds é and no check mark. */
async function latin1(): Promise<string> {
  const fresh = await freshDatabase(inject('postgresUrl'));
  onTestFinished(() => fresh.drop());
  const url = new URL(fresh.url);
  const name = `${url.pathname.slice(1)}_latin1`;
  const client = new pg.Client(fresh.url);
  await client.connect();
  await client.query(
    `CREATE DATABASE "${name}" TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`,
  );
  onTestFinished(async () => {
    await client.query(`DROP DATABASE "${name}" WITH (FORCE)`);
    await client.end();
  });
  url.pathname = name;
  return url.href;
}

for (const claim of ['hold', 'lease'] as const) {
  test(`in a database of another encoding an error that it cannot hold is told all the same: ${claim}`, async () => {
    const driver = postgres({ connectionString: await latin1() });
    await driver.schema.migrate();
    const handlers = ['throws', 'returns', 'holds'].map((kind) =>
      defineHandler({
        kind,
        payload: AnyJson,
        claim,
        retry: { base: 1, factor: 1, cap: 1 },
        run() {
          if (kind === 'throws') throw new Error('✓ é');
          return kind === 'returns' ? { mark: '✓' } : { mark: 'é' };
        },
      }),
    );
    const rowlock = createRowlock({ driver, handlers });
    const jobs = await Promise.all(handlers.map((handler) => rowlock.enqueue(handler, { payload: 1 })));
    const worker = rowlock.worker();
    await worker.start();
    const seen = () => Promise.all(jobs.map(({ publicId }) => rowlock.find(publicId)));
    await expect
      .poll(async () => (await seen()).map((job) => job?.status), { timeout: 60_000 })
      .toEqual(['error', 'error', 'complete']);
    const [thrown, returned, held] = await seen();
    expect(thrown).toMatchObject({ crashes: 0, attempt: 5, error: { message: '\\u{2713} \\u{e9}' } });
    expect(returned).toMatchObject({ crashes: 0, attempt: 5, error: { code: 'InvalidInput' } });
    expect(held).toMatchObject({ attempt: 1, output: { mark: 'é' } });
    await worker.stop();
    await rowlock.close();
  });
}
