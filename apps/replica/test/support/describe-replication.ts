import {
  eventually,
  MYSQL,
  POSTGRES,
  startWorkerProcess,
  type TestDatabase,
} from '@rowlock/app-shared/testing';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { type Composition, compose } from '../../src/composition.js';
import { itemsOf } from './by-hand.js';
import { createItems } from './create-items.js';

const WORKER = new URL('../../dist/worker.js', import.meta.url);

/** What the tests of one direction play on: two fresh databases, of which one has items. */
export interface Replication {
  readonly from: TestDatabase;
  readonly urls: { readonly SOURCE_URL: string; readonly TARGET_URL: string };
  readonly app: Composition;
  startWorker(): ReturnType<typeof startWorkerProcess>;
  /** Waits until no job is outstanding, and none has failed. */
  settled(withinMs?: number): Promise<void>;
  expectEqual(): Promise<void>;
  /** Does this when the test has ended. The last put off comes first. */
  defer(undo: () => Promise<unknown>): void;
}

/** Writes tests down for both directions. `of` is filled anew before each test. */
export function describeReplication(write: (of: () => Replication) => void): void {
  describe.each([
    { from: POSTGRES, to: MYSQL },
    { from: MYSQL, to: POSTGRES },
  ])('from $from.name to $to.name', ({ from, to }) => {
    let replication: Replication;
    const undo: (() => Promise<unknown>)[] = [];

    beforeEach(async () => {
      const [source, target] = [await from.fresh(), await to.fresh()];
      undo.push(source.drop, target.drop);
      const urls = { SOURCE_URL: source.url, TARGET_URL: target.url };
      const app = compose(source.url, target.url, pino({ level: 'silent' }));
      undo.push(() => app.close());
      await createItems(source.url);
      replication = {
        from,
        urls,
        app,
        async startWorker() {
          const worker = await startWorkerProcess(WORKER, { ...urls, LOG_LEVEL: 'silent' });
          undo.push(() => worker.kill());
          return worker;
        },
        async settled(withinMs = 120_000) {
          const outstanding = () => app.rowlock.jobs.count({ status: ['new', 'in-progress'] });
          await eventually(async () => (await outstanding()).count === 0, { withinMs });
          expect(await app.rowlock.jobs.count({ status: 'error' })).toMatchObject({ count: 0 });
        },
        async expectEqual() {
          const items = await itemsOf(urls.SOURCE_URL);
          expect(await itemsOf(urls.TARGET_URL)).toEqual(items);
          expect(items.length).toBeGreaterThan(0);
        },
        defer: (step) => void undo.push(step),
      };
    });

    afterEach(async () => {
      for (const step of undo.splice(0).reverse()) await step();
    });

    write(() => replication);
  });
}
