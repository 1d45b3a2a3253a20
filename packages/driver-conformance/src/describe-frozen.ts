import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { complete, createRowlock, defineHandler } from '@rowlock/core';
import { describe, expect, test } from 'vitest';
import type { DriverUnderTest } from './describe-driver.js';
import type { TestDatabase } from './driver-harness.js';
import { noLeaks } from './no-leaks.js';
import { endProcess } from './stage.js';
import { until, within } from './until.js';
import { AnyJson } from './worker-process.js';

export interface FrozenUnderTest<Tx> extends DriverUnderTest<Tx> {
  /** A Node program that is `frozenWorker` of the entry `programs`, on the database of `DATABASE_URL`. */
  readonly program: URL;
}

/** A net for all that a program and a worker do one after the other. */
const TEST_MS = 600_000;

/** A worker that stands still for longer than its claim lasts, seen from the table. A driver's own test file calls this once. */
export function describeFrozen<Tx>({ name, open, program }: FrozenUnderTest<Tx>): void {
  describe(name, () => {
    for (const claim of ['hold', 'lease'] as const) {
      for (const how of ['stopped by the system', 'blocked by its handler'] as const) {
        test(`${claim}: a worker that is ${how} harms nothing, says what it lost, and goes on working`, {
          timeout: TEST_MS,
        }, async () => {
          const harness = await open();
          const database = await harness.database();
          try {
            await standStill(database, program, claim, how === 'blocked by its handler');
            await noLeaks(database);
          } finally {
            await database.close();
            await harness.close();
          }
        });
      }
    }
  });
}

async function standStill<Tx>(
  database: TestDatabase<Tx>,
  program: URL,
  claim: 'hold' | 'lease',
  blocks: boolean,
): Promise<void> {
  const { reader } = database;
  const process = await database.process();
  const Work = defineHandler({ kind: claim, claim, payload: AnyJson, run: () => complete('the next run') });
  const rowlock = createRowlock({ driver: process.driver, handlers: [Work] });
  const nextWorker = rowlock.worker();
  const settled = (publicId: string) =>
    until('the job is settled', async () => {
      const row = await reader.job(publicId);
      return row?.status === 'complete' && row;
    });
  await rowlock.migrate();
  const first = await rowlock.enqueue(Work, { payload: 'first', key: 'the key' });
  const child = new Child(program, { DATABASE_URL: database.url, ...(blocks && { BLOCKS: '1' }) });
  try {
    await child.says('running');
    if (!blocks) child.signal('SIGSTOP');
    await nextWorker.start();
    expect(await settled(first.publicId)).toMatchObject({ output: 'the next run', crashes: 1 });
    await nextWorker.stop();
    child.signal('SIGCONT');
    child.goOn();
    await child.says('lost');
    await until('it logs the loss', async () => child.log.includes('the claim was lost'));

    const next = await rowlock.enqueue(Work, { payload: 'next', key: 'the key' });
    expect(await settled(next.publicId)).toMatchObject({ output: 'back at work', attempt: 1 });
    expect(await reader.job(first.publicId)).toMatchObject({ output: 'the next run', attempt: 2 });
    const outcomes = (await reader.runs(first.publicId)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['reclaim', 'complete']);
  } finally {
    await child.kill();
    await nextWorker.stop();
    await rowlock.jobs.flush();
    await endProcess(process);
  }
}

/** The program, and its output. */
class Child {
  readonly #process: ChildProcess;
  readonly #said: string[] = [];
  #log = '';
  readonly #ended: Promise<unknown>;

  constructor(program: URL, env: NodeJS.ProcessEnv) {
    this.#process = spawn(process.execPath, [fileURLToPath(program)], {
      env: { ...process.env, ...env },
      stdio: 'pipe',
    });
    this.#ended = once(this.#process, 'exit');
    const { stdout, stderr } = this.#process;
    if (stdout !== null) createInterface(stdout).on('line', (line) => this.#said.push(line));
    stderr?.on('data', (text) => {
      this.#log += text;
    });
  }

  async says(word: string): Promise<void> {
    await until(`it says "${word}"`, async () => this.#said.includes(word)).catch((error: unknown) => {
      throw new Error(`It said: ${this.#said.join(', ')}. Its log: ${this.#log}`, { cause: error });
    });
  }

  /** What it has written to standard error. */
  get log(): string {
    return this.#log;
  }

  goOn(): void {
    this.#process.stdin?.write('\n');
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await within('its end', this.#ended);
  }
}
