import { setImmediate as turn } from 'node:timers/promises';
import { complete, defineHandler, type RunContext } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { BATCH, BEFORE, Meeting, ONE_SLOT, putBatch } from '../batch.js';
import type { JobRow } from '../driver-harness.js';
import { eachSettledOnce } from '../each-settled-once.js';
import { seeded } from '../random.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { aborted, gate, LOAD_GUARD_MS, within } from '../until.js';
import { AnyJson, openWorker, SOON, startWorker, type WorkerProcess } from '../worker-process.js';

export const crashedBatches = theme('crashed batches', (test) => {
  test('a crash in a batch counts once for each of its jobs, and those are run alone after it', async (stage) => {
    const { queue, reader } = stage;
    const meeting = new Meeting();
    const common = { kind: 'work', queue, payload: AnyJson, batch: 100 } as const;
    const dying = defineHandler({
      ...common,
      async run({ job, signal }) {
        if (job.payload === null) return;
        await meeting.join();
        // A process that was killed goes no further.
        throw await aborted(signal);
      },
    });
    const jobs = await putBatch(stage);
    const { process } = await startWorker(stage, [dying], ONE_SLOT);
    await within('all of the batch', meeting.isComplete);
    await process.kill();

    let [running, most] = [0, 0];
    const surviving = defineHandler({
      ...common,
      async run() {
        running += 1;
        most = Math.max(most, running);
        await turn();
        running -= 1;
      },
    });
    await startWorker(stage, [surviving], ONE_SLOT);
    const rows = (await allSettled(stage)).slice(BEFORE);
    expect(rows.map(({ status, attempt, crashes }) => ({ status, attempt, crashes }))).toEqual(
      jobs.map(() => ({ status: 'complete', attempt: 2, crashes: 1 })),
    );
    expect(most).toBe(1);
    for (const { publicId } of jobs) {
      const outcomes = (await reader.runs(publicId)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome !== 'release')).toEqual(['reclaim', 'complete']);
    }
    await eachSettledOnce(stage, rows);
  });

  test('a job that has crashed in a batch does not pay for another one that kills the next batch', async (stage) => {
    const { queue, reader, putMany } = stage;
    const meeting = new Meeting();
    const common = { kind: 'work', queue, payload: AnyJson, batch: 100 } as const;
    const dying = defineHandler({
      ...common,
      async run({ job, signal }) {
        if (job.payload === null) return;
        await meeting.join();
        throw await aborted(signal);
      },
    });
    const crashed = await putBatch(stage);
    const first = await startWorker(stage, [dying], ONE_SLOT);
    await within('all of the batch', meeting.isComplete);
    await first.process.kill();

    // The next batch is half of jobs that have crashed, and half of others that come before them.
    const before = Array.from({ length: BEFORE }, () => ({ payload: null, priority: -2 }));
    const others = Array.from({ length: BATCH / 2 }, () => ({ payload: 'deadly', priority: -1 }));
    const deadly = (await putMany([...before, ...others])).slice(BEFORE);
    const dead = gate();
    const second: WorkerProcess<unknown> = await openWorker(
      stage,
      [
        defineHandler({
          ...common,
          async run({ job, signal }) {
            if (job.payload === null) return;
            dead.open();
            await second.process.kill();
            throw await aborted(signal);
          },
        }),
      ],
      ONE_SLOT,
    );
    await second.worker.start();
    await within('a death', dead.promise);

    await startWorker(stage, [defineHandler({ ...common, run: () => complete() })], ONE_SLOT);
    const rows = await allSettled(stage);
    const after = (jobs: readonly JobRow[]): readonly JobRow[] =>
      rows.filter(({ publicId }) => jobs.some((job) => job.publicId === publicId));
    expect(Math.max(...after(deadly).map(({ crashes }) => crashes))).toBe(1);
    for (const { publicId, attempt, crashes } of after(crashed)) {
      expect({ attempt, crashes }).toEqual({ attempt: 2, crashes: 1 });
      const outcomes = (await reader.runs(publicId)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'reclaim')).toHaveLength(1);
    }
    await eachSettledOnce(stage, rows);
  });

  test('whoever dies in the middle of a batch: every job takes effect exactly once', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, key, putMany, createNotes } = stage;
    const notes = await createNotes();
    // Each has numbers of its own: the turns of the runs are taken in another order each time, and the deaths are not to be.
    const [turns, deadly] = [seeded(11), seeded(12)];
    const handlerOf = (dies: () => Promise<void> | undefined) =>
      defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        batch: 20,
        retry: SOON,
        async run({ job, tx, signal }: RunContext<unknown, Tx>) {
          if (turns() < 0.5) await turn();
          await notes.write(tx, job.publicId);
          const death = dies();
          if (death === undefined) return complete();
          await death;
          throw await aborted(signal);
        },
      });
    await putMany(
      Array.from({ length: 120 }, (_, place) => ({
        key: place % 3 === 0 ? null : `${key}-${place % 17}`,
        maxAttempts: 50,
      })),
    );
    let deaths = 0;
    for (let generation = 0; generation < 5; generation++) {
      const dead = gate();
      const opened: WorkerProcess<Tx> = await openWorker(
        stage,
        [
          handlerOf(() => {
            if (deadly() > 0.07) return undefined;
            deaths += 1;
            dead.open();
            return opened.process.kill();
          }),
        ],
        { concurrency: 2 },
      );
      await opened.worker.start();
      await within('a death, or the end', Promise.race([dead.promise, allSettled(stage)]), LOAD_GUARD_MS);
    }
    await startWorker(stage, [handlerOf(() => undefined)]);
    const rows = await allSettled(stage);
    expect(deaths).toBeGreaterThan(1);
    expect(rows.map(({ status }) => status)).toEqual(rows.map(() => 'complete'));
    const effects = await notes.all();
    expect(effects.toSorted()).toEqual(rows.map(({ publicId }) => publicId).toSorted());
    await eachSettledOnce(stage, rows);
  });

  test('stop without patience gives all of a batch back as they were', async (stage) => {
    const { queue, reader } = stage;
    const meeting = new Meeting();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      batch: 100,
      async run({ job, signal }) {
        if (job.payload === null) return;
        await meeting.join();
        throw await aborted(signal);
      },
    });
    const before = await putBatch(stage);
    const { worker } = await startWorker(stage, [handler], ONE_SLOT);
    await within('all of the batch', meeting.isComplete);
    await within('the end', worker.stop({ drain: 0 }));
    expect((await reader.jobs(queue)).slice(BEFORE)).toEqual(before);
    for (const { publicId } of before)
      expect((await reader.runs(publicId)).map(({ outcome }) => outcome)).toEqual(['release']);
  });
});
