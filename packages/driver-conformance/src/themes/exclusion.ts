import { setImmediate as turn } from 'node:timers/promises';
import { complete, defineHandler, type Outcome, type RunContext, snooze } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { eachSettledOnce } from '../each-settled-once.js';
import { seeded } from '../random.js';
import { RunLog } from '../run-log.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, gate, LOAD_GUARD_MS, until, within } from '../until.js';
import { AnyJson, clientOf, openWorker, SOON, startWorker, type WorkerProcess } from '../worker-process.js';

export const exclusion = theme('exclusion', (test) => {
  test('under load no two runs of a key overlap, and every job is settled once', async (stage) => {
    const random = seeded(20_181_217);
    const history = new RunLog();
    const payload = AnyJson;
    const run = async ({ key, jobs, tx }: RunContext<unknown, unknown>): Promise<Outcome> => {
      history.begin(key, jobs);
      const dice = random();
      for (let turns = 0; turns < dice * 10; turns++) await turn();
      expect(tx).toBeDefined();
      history.end(key);
      if (dice < 0.1) throw new Error('One run in ten fails.');
      return dice < 0.15 ? snooze(1) : complete();
    };
    // One run in ten fails, so with five attempts one job in a hundred thousand would end as an error.
    const common = { queue: stage.queue, payload, retry: SOON, attempts: 20, run };
    const handlers = [
      defineHandler({ ...common, kind: 'single' }),
      defineHandler({ ...common, kind: 'grouped', group: true }),
      defineHandler({ ...common, kind: 'dependent', after: ['single'], group: { max: 3 } }),
    ];
    for (let workers = 0; workers < 3; workers++) await startWorker(stage, handlers, { concurrency: 4 });
    const client = clientOf(stage, handlers);
    for (let round = 0; round < 20; round++) {
      for (const handler of handlers) {
        const options = Array.from({ length: 5 }, () => ({
          key: `${stage.key}-${Math.floor(random() * 7)}`,
          payload: round,
          priority: Math.floor(random() * 3),
        }));
        await client.enqueueMany(handler, options);
      }
    }
    const rows = await allSettled(stage);
    expect(history.overlaps).toEqual([]);
    expect(rows).toHaveLength(300);
    expect(rows.filter(({ status }) => status !== 'complete')).toEqual([]);
    await eachSettledOnce(stage, rows);
  });

  test('whoever dies when: every job takes effect exactly once', async <Tx>(stage: Stage<Tx>) => {
    const { queue, key, reader, createNotes } = stage;
    const notes = await createNotes();
    const random = seeded(7);
    const handlerOf = (dies: () => Promise<void> | undefined) =>
      defineHandler({
        kind: 'effect',
        queue,
        payload: AnyJson,
        retry: SOON,
        async run({ jobs, tx, signal }: RunContext<unknown, Tx>) {
          for (const { publicId } of jobs) await notes.write(tx, publicId);
          const death = dies();
          if (death === undefined) return complete();
          await death;
          // A process that was killed goes no further.
          throw await aborted(signal);
        },
      });
    const rows = await stage.putMany(
      Array.from({ length: 60 }, (_, place) => ({
        kind: 'effect',
        key: `${key}-${place % 9}`,
        maxAttempts: 50,
      })),
    );
    let deaths = 0;
    for (let generation = 0; generation < 6; generation++) {
      const dead = gate();
      const opened: WorkerProcess<Tx> = await openWorker(stage, [
        handlerOf(() => {
          if (random() > 0.2) return undefined;
          deaths += 1;
          dead.open();
          return opened.process.kill();
        }),
      ]);
      await opened.worker.start();
      const isServed = async () => (await reader.jobs(queue)).every(({ status }) => status === 'complete');
      const finished = until('everything is served', isServed, LOAD_GUARD_MS);
      finished.catch(() => {});
      await within('a death, or the end', Promise.race([dead.promise, finished]), LOAD_GUARD_MS);
    }
    await startWorker(stage, [handlerOf(() => undefined)]);
    const settled = await allSettled(stage);
    expect(deaths).toBeGreaterThan(2);
    expect(settled.map(({ status }) => status)).toEqual(rows.map(() => 'complete'));
    const effects = await notes.all();
    expect(effects.toSorted()).toEqual(rows.map(({ publicId }) => publicId).toSorted());
    await eachSettledOnce(stage, settled);
  });

  test('jobs of different keys, and jobs without a key, run at the same time', async (stage) => {
    const { key, queue, putMany } = stage;
    const together = gate();
    let running = 0;
    const handler = defineHandler({
      kind: 'parallel',
      queue,
      payload: AnyJson,
      async run() {
        running += 1;
        if (running === 4) together.open();
        await together.promise;
      },
    });
    await putMany([`${key}-a`, `${key}-b`, null, null].map((each) => ({ kind: 'parallel', key: each })));
    await startWorker(stage, [handler], { concurrency: 2 });
    await startWorker(stage, [handler], { concurrency: 2 });
    await within('four runs at once', together.promise);
    await allSettled(stage);
  });
});
