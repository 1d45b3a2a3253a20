import { defineHandler } from '@rowlock/core';
import { expect } from 'vitest';
import { AnyJson, employ, hire } from '../crew.js';
import type { JobRow } from '../driver-harness.js';
import { theme } from '../theme.js';
import { until, within } from '../until.js';

export const handlers = theme('handlers', (test) => {
  test('kinds that it has no handler for stay as they are', async (stage) => {
    const { queue, key, put, row } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    const strange = await put({ kind: 'strange', key: `${key}-strange` });
    const keyless = await put({ kind: 'strange' });
    const known = await put({ key });
    const { worker } = await hire(stage, [handler]);
    const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
    await worker.start();
    await within('the worker is idle', idle);
    expect((await row(known)).status).toBe('complete');
    expect(await row(strange)).toEqual(strange);
    expect(await row(keyless)).toEqual(keyless);
  });

  test('one worker serves all the queues of its handlers', async (stage) => {
    const { queue, put, row } = stage;
    const queues = [`${queue}-a`, `${queue}-b`, `${queue}-c`];
    const handlers = queues.map((each, place) =>
      defineHandler({ kind: `work-${place}`, queue: each, payload: AnyJson, run: () => {} }),
    );
    const jobs: JobRow[] = [];
    for (const [place, each] of queues.entries())
      jobs.push(await put({ kind: `work-${place}`, queue: each }));
    await employ(stage, handlers);
    for (const job of jobs)
      await until('the job is served', async () => (await row(job)).status === 'complete');
  });
});
