import { createRowlock, defineHandler, type Worker } from '@rowlock/core';
import { startEmbeddedPostgres, temporaryDataDir } from '@rowlock/servers';
import pg from 'pg';
import { expect, test } from 'vitest';
import { type PostgresTransaction, postgres } from '../src/index.js';

const Anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

const JOBS = 1_000;
const CRASHES = 3;

/**
 * Where the server waits for a standby that is not there, commits that wait for the disk wait for ever, and the others do not: those lie in the
 * server's memory alone, as it writes nothing of its log by itself here, and are lost with it.
 */
test('what was told as settled is settled when a server that was killed has come back, and what was lost with it is run again', async () => {
  const server = await startEmbeddedPostgres({
    dataDir: temporaryDataDir('crashed'),
    persistent: false,
    settings: { fsync: 'off', full_page_writes: 'off', wal_writer_delay: '10s', autovacuum: 'off' },
  });
  const settled = new Set<string>();
  let told = (): void => {};
  const Work = defineHandler({ kind: 'work', payload: Anything, batch: 1, run: () => {} });
  const rowlock = createRowlock({
    driver: postgres({ connectionString: server.url }),
    handlers: [Work],
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  const ask = async (...texts: string[]): Promise<{ public_id: string }[]> => {
    const client = new pg.Client(server.url);
    await client.connect();
    let rows: { public_id: string }[] = [];
    for (const text of texts) ({ rows } = await client.query(text));
    await client.end();
    return rows;
  };
  const complete = async (): Promise<readonly string[]> =>
    (await ask("SELECT public_id FROM rowlock.job WHERE status = 'complete'")).map(
      ({ public_id }) => public_id,
    );
  try {
    await rowlock.migrate();
    await rowlock.enqueueMany(
      Work,
      Array.from({ length: JOBS }, () => ({ payload: {}, attempts: 100 })),
    );
    const worker = rowlock.worker({ concurrency: 10 });
    worker.on('settled', ({ jobs }) => {
      for (const job of jobs) settled.add(job);
      told();
    });
    const until = (number: number): Promise<void> =>
      new Promise((resolve) => {
        told = () => settled.size >= number && resolve();
        told();
      });
    await worker.start();
    for (let crash = 1; crash <= CRASHES; crash++) {
      await until(crash * (JOBS / (CRASHES + 2)));
      await ask("ALTER SYSTEM SET synchronous_standby_names = 'nobody'", 'SELECT pg_reload_conf()');
      while ((await ask("SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'")).length === 0);
      // The slots go on until each waits for the disk.
      let seen = await complete();
      for (let before = -1; before < seen.length; seen = await complete()) before = seen.length;
      const toldBefore = [...settled];
      // For the server that comes then: this one does not read it.
      await ask('ALTER SYSTEM RESET synchronous_standby_names');
      await server.kill();
      await server.restart();
      const found = new Set(await complete());
      expect(toldBefore.filter((publicId) => !found.has(publicId))).toEqual([]);
    }
    while ((await complete()).length < JOBS) await idle(worker);
    await worker.stop();
  } finally {
    await rowlock.close().catch(() => {});
    await server.stop();
  }
});

function idle(worker: Pick<Worker<PostgresTransaction>, 'on'>): Promise<void> {
  return new Promise((resolve) => void worker.on('idle', resolve));
}
