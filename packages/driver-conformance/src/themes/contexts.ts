import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { defineHandler, type RunContext } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { BATCH, BEFORE, ONE_SLOT, putBatch } from '../batch.js';
import { instead } from '../instead.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { gate, within } from '../until.js';
import { AnyJson, openWorker, startWorker } from '../worker-process.js';

/** What a context is entered with: by the test, and by the code that the worker calls. */
const storage = new AsyncLocalStorage<string>();

const MODES = [
  { name: 'hold', options: {} },
  { name: 'batch', options: { batch: 100 } },
  { name: 'lease', options: { claim: 'lease' } },
] as const;

export const contexts = theme('contexts', (test) => {
  for (const { name, options } of MODES) {
    test(`each run has an async context of its own, with ${name}`, async <Tx>(stage: Stage<Tx>) => {
      const found: unknown[] = [];
      const kept: unknown[] = [];
      const handler = defineHandler({
        kind: 'work',
        queue: stage.queue,
        payload: AnyJson,
        ...options,
        async run({ job, tx }: RunContext<unknown, Tx>) {
          found.push(storage.getStore());
          storage.enterWith(job.publicId);
          await turn();
          await stage.database.run(tx, 'SELECT 1 AS one');
          kept.push(storage.getStore() === job.publicId);
        },
      });
      await storage.run('producer', () => putBatch(stage));
      await storage.run('starter', () => startWorker(stage, [handler], ONE_SLOT));
      await allSettled(stage);
      expect(found).toEqual(Array.from({ length: BEFORE + BATCH }, () => undefined));
      expect(kept).toEqual(found.map(() => true));
    });
  }

  test('a synchronous handler leaves nothing in the context of the next', async (stage) => {
    const found: unknown[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue: stage.queue,
      payload: AnyJson,
      batch: 100,
      run({ job }) {
        found.push(storage.getStore());
        storage.enterWith(job.publicId);
      },
    });
    await putBatch(stage);
    await startWorker(stage, [handler], ONE_SLOT);
    await allSettled(stage);
    expect(found).toEqual(Array.from({ length: BEFORE + BATCH }, () => undefined));
  });

  test('a schema has a clean context at the claim, and that of its caller at the enqueue', async (stage) => {
    const found: unknown[] = [];
    const payload = {
      '~standard': {
        version: 1,
        vendor: 'rowlock-conformance',
        validate(value: unknown) {
          found.push(storage.getStore());
          storage.enterWith('schema');
          return { value };
        },
      },
    } as const;
    const handler = defineHandler({
      kind: 'work',
      queue: stage.queue,
      payload,
      run: () => void found.push(storage.getStore()),
    });
    const { rowlock } = await storage.run('starter', () => startWorker(stage, [handler]));
    await storage.run('producer', () => rowlock.enqueue(handler, { payload: 0 }));
    await allSettled(stage);
    expect(found).toEqual(['producer', undefined, undefined]);
  });

  test('each listener has a context of its own', async (stage) => {
    const found: unknown[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue: stage.queue,
      payload: AnyJson,
      run: () => void found.push(storage.getStore()),
    });
    const { worker } = await openWorker(stage, [handler]);
    const listener = (): void => {
      found.push(storage.getStore());
      storage.enterWith('listener');
    };
    for (const event of ['start', 'run', 'settled', 'completed', 'stop'] as const)
      worker.on(event, listener).on(event, () => void found.push(storage.getStore()));
    const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
    await stage.put();
    await storage.run('starter', () => worker.start());
    await allSettled(stage);
    await within('the worker is idle', idle);
    await storage.run('stopper', () => worker.stop());
    expect(found).toEqual(Array.from({ length: 11 }, () => undefined));
  });

  test("the listeners of a handler's signal have a clean context", async (stage) => {
    const running = gate();
    const heard = gate<unknown>();
    const handler = defineHandler({
      kind: 'work',
      queue: stage.queue,
      payload: AnyJson,
      async run({ signal }) {
        const aborted = gate();
        signal.addEventListener('abort', () => {
          heard.open(storage.getStore());
          storage.enterWith('listener');
          aborted.open();
        });
        running.open();
        await aborted.promise;
      },
    });
    await stage.put();
    const { worker } = await storage.run('starter', () => startWorker(stage, [handler]));
    await within('the handler runs', running.promise);
    const stopped = storage.run('stopper', () => worker.stop({ drain: 0 }));
    expect(await within('the abort', heard.promise)).toBeUndefined();
    await stopped;
  });

  test('a worker claims neither in the context of its start nor in that of the enqueue that woke it', async (stage) => {
    const found: unknown[] = [];
    const handler = defineHandler({ kind: 'work', queue: stage.queue, payload: AnyJson, run: () => {} });
    const { worker, rowlock } = await openWorker(stage, [handler], {}, (driver) =>
      instead(driver, {
        claims: {
          session(options) {
            found.push(storage.getStore());
            return driver.claims.session(options);
          },
          survey(lanes) {
            found.push(storage.getStore());
            return driver.claims.survey(lanes);
          },
        },
      }),
    );
    const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
    await storage.run('starter', () => worker.start());
    await within('the worker is idle', idle);
    await storage.run('producer', () => rowlock.enqueue(handler, { payload: 0 }));
    await allSettled(stage);
    await worker.stop();
    expect(new Set(found)).toEqual(new Set([undefined]));
  });
});
