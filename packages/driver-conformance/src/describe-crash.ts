import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createRowlock, defineHandler } from '@rowlock/core';
import type { SettlingEvent } from '@rowlock/core/driver';
import { describe, expect, test } from 'vitest';
import type { DriverUnderTest } from './describe-driver.js';
import type { TestDatabase } from './driver-harness.js';
import { noLeaks } from './no-leaks.js';
import { endProcess } from './stage.js';
import { within } from './until.js';
import { AnyJson } from './worker-process.js';

export interface CrashUnderTest<Tx> extends DriverUnderTest<Tx> {
  /** A Node program that is `exitWorker` of the entry `programs`, on the database of `DATABASE_URL`. */
  readonly program: URL;
}

/** A net for three programs, one after the other, and a worker. */
const TEST_MS = 600_000;

/** A handler that ends its process, seen from the table. A driver's own test file calls this once. */
export function describeCrash<Tx>({ name, open, program }: CrashUnderTest<Tx>): void {
  describe(name, () => {
    test('a handler that calls process.exit is settled as error after its attempts, and the crashes are counted', {
      timeout: TEST_MS,
    }, async () => {
      const harness = await open();
      const database = await harness.database();
      try {
        await crash(database, program);
        await noLeaks(database);
      } finally {
        await database.close();
        await harness.close();
      }
    });
  });
}

async function crash<Tx>(database: TestDatabase<Tx>, program: URL): Promise<void> {
  const { reader } = database;
  const process = await database.process();
  // This process's worker may settle the job; it must never run it.
  const Exit = defineHandler({
    kind: 'exit',
    payload: AnyJson,
    run: () => Promise.reject(new Error('ran')),
  });
  const rowlock = createRowlock({ driver: process.driver, handlers: [Exit] });
  const worker = rowlock.worker();
  try {
    await rowlock.migrate();
    const { publicId } = await rowlock.enqueue(Exit, { payload: {}, attempts: 3 });
    for (const crash of [1, 2, 3]) {
      expect(await exitCode(program, database.url), `crash ${crash}`).toBe(7);
      expect(await reader.job(publicId)).toMatchObject({ status: 'new', attempt: 0 });
    }

    const settled = new Promise<SettlingEvent | undefined>((resolve) =>
      worker.on('settled', (_, endings) => resolve(endings.get(publicId))),
    );
    await worker.start();
    expect(await settled).toBe('exhaust');
    await worker.stop();

    expect(await reader.job(publicId)).toMatchObject({
      status: 'error',
      attempt: 3,
      crashes: 3,
      error: {
        code: 'ROWLOCK_CRASHED',
        message: expect.stringContaining('3 of its runs ended without an outcome'),
      },
    });
    const outcomes = (await reader.runs(publicId)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['reclaim', 'reclaim', 'reclaim', 'exhaust']);
  } finally {
    await worker.stop();
    await endProcess(process);
  }
}

async function exitCode(program: URL, url: string): Promise<unknown> {
  const child = spawn(process.execPath, [fileURLToPath(program)], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: 'inherit',
  });
  const exit = once(child, 'exit');
  try {
    const [code] = await within('the end of the program', exit);
    return code;
  } finally {
    // One that hangs would go on working, and keep what it holds.
    child.kill('SIGKILL');
    await exit;
  }
}
