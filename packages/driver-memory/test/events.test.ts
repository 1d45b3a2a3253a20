import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { fail, retry, snooze } from '@rowlock/core';
import { expect, test } from 'vitest';
import { type EnqueuedJob, type Run, ToldStage } from './told-stage.js';

type Scene = (stage: ToldStage) => Promise<void>;

/** Waits for the end that the worker wants. */
const untilAborted: Run = async ({ signal }) => {
  if (!signal.aborted) await once(signal, 'abort');
  signal.throwIfAborted();
};

const SCENES: Readonly<Record<string, Scene>> = {
  complete: ends(() => {}),
  retry: ends(() => retry('not yet', { delay: '1h' })),
  fail: ends(() => fail('never')),
  throw: ends(() => {
    throw new Error('thrown');
  }),
  'throw at the last attempt': ends(
    () => {
      throw new Error('thrown');
    },
    { attempts: 1 },
  ),
  snooze: ends(() => snooze('1h')),
  'a payload that is refused': ends(() => {}, { payload: 'no object' }),
  'a group': async (stage) => {
    for (let place = 0; place < 2; place++) await stage.enqueue({ key: 'a' });
    await stage.work('worker', () => {});
  },
  cancelled: async (stage) => {
    const publicId = await stage.enqueue();
    await stage.work('worker', untilAborted, ({ worker, rowlock }) =>
      worker.on('run', () => void rowlock.cancel(publicId)),
    );
  },
  released: async (stage) => {
    await stage.enqueue();
    const { worker } = stage.hire('worker', untilAborted);
    const running = new Promise((resolve) => worker.on('run', resolve));
    await worker.start();
    await running;
    const stopped = worker.stop({ drain: '1s' });
    // By then it waits.
    await setImmediate();
    stage.clock.advance(1_000);
    await stopped;
  },
  crash: async (stage) => {
    await stage.enqueue();
    const { worker: dying, driver } = stage.hire('dying', untilAborted);
    dying.on('run', () => driver.kill());
    const lost = new Promise((resolve) => dying.on('lost', resolve));
    await dying.start();
    await lost;
    await stage.work('worker', () => {});
  },
};

test.each(Object.entries(SCENES))('what is told of: %s', async (name, scene) => {
  const stage = new ToldStage();
  await scene(stage);
  await expect(stage.told).toMatchFileSnapshot(`golden/events/${name.replaceAll(' ', '-')}.txt`);
});

/** A job that a worker brings to its end by itself. */
function ends(run: Run, job: EnqueuedJob = {}): Scene {
  return async (stage) => {
    await stage.enqueue(job);
    await stage.work('worker', run);
  };
}
