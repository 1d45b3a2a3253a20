import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock, defineHandler, type Json, type Rowlock } from '@rowlock/core';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection } from 'mysql2/promise';
import { expect, test } from 'vitest';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { serverUrl } from './server.js';

const JOBS = 5_000;
const KEYS = 200;
const HOLD_MS = 50;

const AnyPayload = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value: value as Json }) },
} as const;

/** The keys whose runs go on. Of one key there is one at a time, whichever process has it. */
const running = new Set<string>();
const overlaps: string[] = [];

const Work = defineHandler({
  kind: 'work',
  queue: 'contended',
  payload: AnyPayload,
  group: true,
  async run({
    key,
    jobs,
    tx,
  }: {
    key: string | null;
    jobs: readonly { publicId: string }[];
    tx: MysqlTransaction;
  }) {
    if (running.has(String(key))) overlaps.push(String(key));
    running.add(String(key));
    for (const { publicId } of jobs) await tx.execute('INSERT INTO effect VALUES (?)', [publicId]);
    await sleep(HOLD_MS);
    running.delete(String(key));
  },
});

/** Two drivers share nothing, as two processes do. */
test('ten slots of two drivers and a producer that never pauses: no deadlock is met, nothing is lost or doubled', async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  const plain = await createConnection(fresh.url);
  const ask = async <Row>(sql: string): Promise<readonly Row[]> => (await plain.query<never>(sql))[0];
  const open = (): Rowlock<MysqlTransaction> =>
    createRowlock({ driver: mysql({ uri: fresh.url }), handlers: [Work] });
  const [producer, ...crews] = [open(), open(), open()];
  const workers = crews.map((rowlock) => rowlock.worker({ concurrency: 5 }));
  const troubles: unknown[] = [];
  try {
    await producer.migrate();
    await plain.query('CREATE TABLE effect (job VARCHAR(40))');
    for (const worker of workers) {
      worker.on('fault', (error) => troubles.push(error));
      worker.on('lost', (_, error) => troubles.push(error));
      await worker.start();
    }
    const enqueued: string[] = [];
    for (let place = 0; place < JOBS; place++) {
      const key = `key-${(place * 7) % KEYS}`;
      enqueued.push((await producer.enqueue(Work, { key, payload: place })).publicId);
    }
    for (let left = JOBS; left > 0; await sleep(50)) {
      const counts = await producer.count({ queue: 'contended' });
      left = counts.new + counts['in-progress'];
      expect(counts.error).toBe(0);
    }
    const effects = await ask<Record<string, string | number>>('SELECT job FROM effect');
    expect(effects.map(({ job }) => String(job)).toSorted()).toEqual(enqueued.toSorted());
    const settled = await ask<Record<string, string | number>>(
      'SELECT DISTINCT status, attempt, crashes FROM rowlock_job',
    );
    expect(settled).toEqual([{ status: 'complete', attempt: 1, crashes: 0 }]);
    const runs = await ask<Record<string, string | number>>('SELECT DISTINCT outcome FROM rowlock_run');
    expect(runs).toEqual([{ outcome: 'complete' }]);
    expect(troubles).toEqual([]);
    expect(overlaps).toEqual([]);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop({ drain: 0 })));
    await Promise.all([producer, ...crews].map((rowlock) => rowlock.close()));
    await plain.end();
    await fresh.drop();
  }
}, 110_000);
