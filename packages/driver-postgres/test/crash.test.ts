import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createRowlock, defineHandler } from '@rowlock/core';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import '@rowlock/servers/vitest';
import { postgres } from '../src/index.js';

const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

test('a handler that calls process.exit is settled as error after its attempts, and the crashes are counted', async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  const rowlock = createRowlock({
    driver: postgres({ connectionString: database.url }),
    // Registered so that this process's worker may settle the job; it must never be called.
    handlers: [
      defineHandler({ kind: 'exit', payload: anything, run: () => Promise.reject(new Error('ran')) }),
    ],
  });
  const reader = new pg.Client(database.url);
  await reader.connect();
  try {
    await rowlock.migrate();
    const { publicId } = await rowlock.enqueue('exit', { payload: {}, attempts: 3 });

    for (const crash of [1, 2, 3]) {
      expect(await runWorkerProcess(database.url), `crash ${crash}`).toBe(7);
      const { rows } = await reader.query('SELECT status, attempt FROM rowlock.job');
      expect(rows).toEqual([{ status: 'new', attempt: 0 }]);
    }

    const worker = rowlock.worker();
    const settled = new Promise((resolve) =>
      worker.on('settled', (_, endings) => resolve(endings.get(publicId))),
    );
    await worker.start();
    expect(await settled).toBe('exhaust');
    await worker.stop();

    const { rows } = await reader.query(
      "SELECT status, attempt, crashes, error->>'code' AS code FROM rowlock.job",
    );
    expect(rows).toEqual([{ status: 'error', attempt: 3, crashes: 3, code: 'ROWLOCK_CRASHED' }]);
    expect((await rowlock.find(publicId))?.error?.message).toBe('The worker died during 3 of its runs.');
    const runs = await reader.query('SELECT outcome, count(*)::int FROM rowlock.run GROUP BY 1 ORDER BY 1');
    expect(runs.rows).toEqual([
      { outcome: 'exhaust', count: 1 },
      { outcome: 'reclaim', count: 3 },
    ]);
  } finally {
    await rowlock.close();
    await reader.end();
    await database.drop();
  }
});

/** The exit code of a worker process that claims the job. */
async function runWorkerProcess(url: string): Promise<unknown> {
  const program = new URL('exit-worker.mjs', import.meta.url);
  const child = spawn(process.execPath, [fileURLToPath(program)], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  return code;
}
