import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidInputError } from '@rowlock/core';
import { noTransaction } from '@rowlock/sql-drivers';
import { test } from 'vitest';
import type { Answer, Call } from './bun-calls.js';
import { describeAdapter, type Orm } from './describe-adapter.js';

/** Bun's own binary, of the package for this platform. */
const BUN = binary();

function binary(): string | undefined {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('bun/package.json'));
  const arch = process.arch === 'arm64' ? 'aarch64' : process.arch;
  try {
    const manifest = resolve(`@oven/bun-${process.platform}-${arch}/package.json`);
    const file = join(manifest, '../bin/bun');
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

const PROGRAM = fileURLToPath(new URL('bun-process.ts', import.meta.url));

/** With it Bun too reads core from its sources. */
const SETTINGS = fileURLToPath(new URL('bun-tsconfig.json', import.meta.url));

/** A call without its number. */
type Unnumbered = Call extends infer Each ? (Each extends Call ? Omit<Each, 'number'> : never) : never;

class Bun {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #calls = 0;

  constructor(file: string, url: string) {
    this.#process = fork(PROGRAM, [url], {
      execPath: file,
      execArgv: [`--tsconfig-override=${SETTINGS}`, 'run'],
      serialization: 'json',
    });
    this.#process.on('message', ({ number, result, error }: Answer) => {
      const waiting = this.#waiting.get(number);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(thrown(error));
    });
    this.#process.on('exit', (code) => {
      for (const waiting of this.#waiting.values()) waiting.reject(new Error(`Bun has ended with ${code}.`));
    });
  }

  call(call: Unnumbered): Promise<unknown> {
    const number = ++this.#calls;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(number, waiting);
    this.#process.send({ number, ...call });
    return waiting.promise;
  }

  async end(): Promise<void> {
    this.#process.kill();
    if (this.#process.exitCode === null && this.#process.signalCode === null)
      await once(this.#process, 'exit');
  }
}

/** The errors of this process for those of Bun's. */
function thrown({ name, code, errno, message, cause }: NonNullable<Answer['error']>): Error {
  if (name === 'DriverError')
    return code === 'TransactionOver' ? noTransaction() : new Error(String(message));
  if (name === 'InvalidInputError') return new InvalidInputError(String(message));
  return Object.assign(new Error(String(message), { cause }), { code, errno });
}

async function orm(file: string, database: 'postgres' | 'mysql', url: string): Promise<Orm> {
  const bun = new Bun(file, url);
  const refusal = (of: 'sql' | 'nothing') =>
    bun.call({ does: 'mistake', of }).then(
      () => new Error('It was taken.'),
      (error: unknown) => error,
    );
  const [sql, nothing] = [await refusal('sql'), await refusal('nothing')];
  let transactions = 0;
  return {
    async transaction(work) {
      const id = ++transactions;
      await bun.call({ does: 'begin', id });
      try {
        await work({
          tx: {
            adapter: { name: 'fromBun', database },
            query: async (text, values) =>
              Object(await bun.call({ does: 'query', id, text, values, database })),
          },
          insert: (order) => bun.call({ does: 'insert', id, order }),
        });
      } catch (error) {
        await bun.call({ does: 'end', id, undone: true });
        throw error;
      }
      await bun.call({ does: 'end', id, undone: false });
    },
    mistakes: {
      sql: () => {
        throw sql;
      },
      nothing: () => {
        throw nothing;
      },
    },
    close: () => bun.end(),
  };
}

if (BUN === undefined) test.skip('npm has no Bun for this platform', () => {});
else
  for (const database of ['postgres', 'mysql'] as const)
    describeAdapter('Bun', database, (url) => orm(BUN, database, url));
