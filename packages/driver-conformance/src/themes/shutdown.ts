import { defineHandler } from '@rowlock/core';
import { expect } from 'vitest';
import { theme } from '../theme.js';
import { aborted, gate, within } from '../until.js';
import { AnyJson, startWorker } from '../worker-process.js';

export const shutdown = theme('shutdown', (test) => {
  test('stop lets the running handler end and claims nothing more', async (stage) => {
    const { queue, putMany, reader } = stage;
    const running = gate();
    const finish = gate();
    let runs = 0;
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run({ signal }) {
        runs += 1;
        running.open();
        await finish.promise;
        expect(signal.aborted).toBe(false);
      },
    });
    await putMany([{}, {}]);
    const { worker } = await startWorker(stage, [handler], { concurrency: 1 });
    await within('the handler', running.promise);
    const stopped = worker.stop();
    finish.open();
    await within('the end', stopped);
    expect((await reader.jobs(queue)).map(({ status }) => status)).toEqual(['complete', 'new']);
    expect(runs).toBe(1);
  });

  test('stop without patience gives the jobs back as they were', async (stage) => {
    const { queue, put, row, reader } = stage;
    const running = gate();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run({ signal }) {
        running.open();
        throw await aborted(signal);
      },
    });
    const before = await put();
    const { worker } = await startWorker(stage, [handler]);
    await within('the handler', running.promise);
    await within('the end', worker.stop({ drain: 0 }));
    expect(await row(before)).toEqual(before);
    expect((await reader.runs(before.publicId)).map(({ outcome }) => outcome)).toEqual(['release']);
  });
});
