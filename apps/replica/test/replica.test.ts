import { eventually, MYSQL, POSTGRES, startWorkerProcess } from '@rowlock/app-shared/testing';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Composition, compose } from '../src/composition.js';
import { byHand, itemsOf, turnsOf } from './support/by-hand.js';
import { createItems } from './support/create-items.js';
import { startFreezingWorker } from './support/freezing-worker.js';
import { IDS, write } from './support/writer.js';

const WORKER = new URL('../dist/worker.js', import.meta.url);

const WRITERS = 4;
// Longer by hand: CHANGES=20000.
const CHANGES = Number(process.env.CHANGES ?? 400);
/** A net, as everywhere. */
const WITHIN_MS = 120_000 + CHANGES * 100;

describe.each([
  { from: POSTGRES, to: MYSQL },
  { from: MYSQL, to: POSTGRES },
])('from $from.name to $to.name', ({ from, to }) => {
  let urls: { readonly SOURCE_URL: string; readonly TARGET_URL: string };
  let app: Composition;
  const undo: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    const [source, target] = [await from.fresh(), await to.fresh()];
    undo.push(source.drop, target.drop);
    urls = { SOURCE_URL: source.url, TARGET_URL: target.url };
    app = compose(source.url, target.url, pino({ level: 'silent' }));
    undo.push(() => app.close());
    await createItems(source.url);
  });

  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  const startWorker = async () => {
    const worker = await startWorkerProcess(WORKER, { ...urls, LOG_LEVEL: 'silent' });
    undo.push(() => worker.kill());
    return worker;
  };

  const settled = async () => {
    const outstanding = () => app.rowlock.jobs.count({ status: ['new', 'in-progress'] });
    await eventually(async () => (await outstanding()).count === 0, { withinMs: WITHIN_MS });
    expect(await app.rowlock.jobs.count({ status: 'error' })).toMatchObject({ count: 0 });
  };

  const expectEqual = async () => {
    const source = await itemsOf(urls.SOURCE_URL);
    expect(await itemsOf(urls.TARGET_URL)).toEqual(source);
    expect(source.length).toBeGreaterThan(0);
  };

  test('writers at the same time, killed and frozen workers: in the end both tables are equal', {
    timeout: WITHIN_MS,
  }, async () => {
    const url = urls.SOURCE_URL;
    for (let id = 1; id <= IDS; id += 2)
      await byHand(url, (ask) => ask("INSERT INTO item VALUES (?, 'old', 0.01, '')", [id]));
    let [made, committed, isWriting] = [0, 0, true];
    const pick = (most: number) => 1 + Math.floor(Math.random() * most);
    const writer = async () => {
      for (; isWriting && made < CHANGES; made += 1)
        // A writer may be refused: by a row of the same id, by a deadlock, or as its session was ended.
        if (await write(url, pick).catch(() => false)) committed += 1;
    };
    const done = (part: number) =>
      eventually(async () => made >= CHANGES * part, { withinMs: WITHIN_MS, everyMs: 1 });
    undo.push(async () => {
      isWriting = false;
    });
    const writing = Promise.all(Array.from({ length: WRITERS }, writer));
    await app.begin();
    const [first, second] = [await startWorker(), await startWorker()];

    await done(0.2);
    await first.kill();
    const third = await startWorker();
    await done(0.4);
    process.kill(second.pid, 'SIGSTOP');
    // As the server does with the sessions of a frozen process, later.
    await from.cut(url);
    await done(0.6);
    process.kill(second.pid, 'SIGCONT');
    await done(0.8);
    await third.kill();
    await startWorker();
    await writing;

    await settled();
    // A run that was frozen may leave the turn that it takes when it goes on. The next run of the row takes it over.
    await expectEqual();
    expect(committed).toBeGreaterThan(CHANGES / 5);
  });

  test('a run that was frozen beyond the end of its claim does not overwrite what was copied later', async () => {
    const url = urls.SOURCE_URL;
    await app.begin();
    await byHand(url, (ask) => ask("INSERT INTO item VALUES (1, 'early', 1.10, NULL)"));
    const frozen = startFreezingWorker(urls);
    undo.push(() => frozen.kill());
    await frozen.hasRead();

    await byHand(url, (ask) => ask("UPDATE item SET name = 'late' WHERE id = 1"));
    await from.cut(url);
    await startWorker();
    await settled();
    frozen.goOn();
    expect(await frozen.wrote()).toBe(false);
    await expectEqual();
  });

  test('what is gone from the source, whoever saw it go, is gone from the copy, and ids of 0 and below are copied', async () => {
    const url = urls.SOURCE_URL;
    await app.begin();
    await startWorker();
    await byHand(url, async (ask) => {
      const rows = Array.from({ length: 60 }, (_, n) => `(${n - 30}, 'one of many', 0.01, NULL)`);
      await ask(`INSERT INTO item VALUES ${rows.join(', ')}`);
      await ask('DELETE FROM item WHERE id < -10 OR id > 10');
    });
    await settled();
    await expectEqual();
    // On MySQL no trigger fires for it, and so only the next beginning finds what is gone.
    await byHand(url, (ask) => ask('TRUNCATE TABLE item'));
    await byHand(url, (ask) => ask("INSERT INTO item VALUES (-1, 'after', 0.01, NULL)"));
    if (from === MYSQL) await app.begin();
    await settled();
    await expectEqual();
    expect(await turnsOf(urls.TARGET_URL)).toEqual([]);
  });
});
