import { defineHandler, fail } from '@rowlock/core';
import { expect } from 'vitest';
import { instead } from '../instead.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { within } from '../until.js';
import { AnyJson, clientOf, startWorker } from '../worker-process.js';

/** A handler of the test's queue that ends as its payload says. */
function ending<Tx>({ queue }: Pick<Stage<Tx>, 'queue'>) {
  return defineHandler({
    kind: 'work',
    queue,
    payload: AnyJson,
    run: ({ job }) => (job.payload === 'fail' ? fail('no') : { was: job.payload }),
  });
}

export const waitingCallers = theme('waiting callers', (test) => {
  test('a caller in another process gets the job with its output', async (stage) => {
    const handler = ending(stage);
    const client = clientOf(stage, [handler]);
    const { publicId } = await client.enqueue(handler, { payload: 1 });
    // A timer of Node does not take a delay that is so long.
    const settled = client.settled(handler, publicId, { timeout: '30d' });
    await startWorker(stage, [handler]);
    expect(await settled).toMatchObject({ publicId, status: 'complete', output: { was: 1 } });
    expect(await client.settled(publicId)).toMatchObject({ status: 'complete', output: { was: 1 } });
    await expect(client.settled({ kind: 'other', payload: AnyJson }, publicId)).rejects.toMatchObject({
      code: 'ROWLOCK_JOB_NOT_FOUND',
    });
  });

  test('a caller in the process of the worker does too', async (stage) => {
    const handler = ending(stage);
    const { rowlock } = await startWorker(stage, [handler]);
    const { publicId } = await rowlock.enqueue(handler, { payload: 2 });
    expect(await within('the job has ended', rowlock.settled(publicId))).toMatchObject({
      output: { was: 2 },
    });
  });

  test('a failed and a cancelled job have ended too', async (stage) => {
    const handler = ending(stage);
    const client = clientOf(stage, [handler]);
    const cancelled = await client.enqueue(handler, { payload: 1, delay: '1h' });
    const failed = await client.enqueue(handler, { payload: 'fail' });
    const ends = [client.settled(cancelled.publicId), client.settled(failed.publicId)];
    await client.cancel(cancelled.publicId);
    await startWorker(stage, [handler]);
    expect(await within('both have ended', Promise.all(ends))).toMatchObject([
      { status: 'cancelled' },
      { status: 'error', error: { message: 'no' } },
    ]);
  });

  test('all who wait in a process share one statement', async (stage) => {
    const looks: number[] = [];
    const driver = instead(stage.driver, {
      jobs: {
        entries: (filter, page) => {
          looks.push(filter.publicIds?.length ?? 0);
          return stage.driver.jobs.entries(filter, page);
        },
      },
    });
    const handler = ending(stage);
    const client = clientOf({ ...stage, driver }, [handler]);
    const jobs = await client.enqueueMany(handler, [{ payload: 1 }, { payload: 2 }, { payload: 3 }]);
    const all = Promise.all([...jobs, ...jobs].map(({ publicId }) => client.settled(publicId)));
    await startWorker(stage, [handler]);
    expect(await within('all have ended', all)).toHaveLength(6);
    expect(Math.max(...looks)).toBe(3);
    expect(looks).not.toContain(0);
  });

  test('a wait ends at its time, by its signal, and when the client is closed', async (stage) => {
    const { rowlock } = await startWorker(stage, [ending(stage)]);
    const { publicId } = await stage.put({ kind: 'unserved' });
    await expect(rowlock.settled(publicId, { timeout: 10 })).rejects.toMatchObject({
      name: 'NotSettledError',
      code: 'ROWLOCK_NOT_SETTLED',
    });
    const abort = new AbortController();
    const aborted = rowlock.settled(publicId, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    const closed = expect(rowlock.settled(publicId)).rejects.toMatchObject({ code: 'ROWLOCK_CLOSED' });
    await rowlock.close();
    await closed;
  });

  test('a job that is not there, or not committed, is an error and no wait', async (stage) => {
    const handler = ending(stage);
    const client = clientOf(stage, [handler]);
    const missing = { code: 'ROWLOCK_JOB_NOT_FOUND' };
    await expect(client.settled('11111111-1111-4111-8111-111111111111')).rejects.toMatchObject(missing);
    await expect(client.settled('no id')).rejects.toMatchObject(missing);
    const { tx, commit } = await stage.caller();
    const { publicId } = await client.enqueue(handler, { payload: 1 }, { tx });
    await expect(client.settled(publicId)).rejects.toMatchObject(missing);
    const wrong: object = { tx };
    await expect(client.settled(publicId, wrong)).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
    await commit();
    await startWorker(stage, [handler]);
    expect(await within('the job has ended', client.settled(publicId))).toMatchObject({ status: 'complete' });
  });

  test('a job that is deleted while somebody waits for it is an error', async (stage) => {
    let looks = 0;
    const driver = instead(stage.driver, {
      jobs: {
        entries: async (filter, page) =>
          looks++ === 0 ? stage.driver.jobs.entries(filter, page) : { jobs: [], next: null },
      },
    });
    const { publicId } = await stage.put();
    await expect(clientOf({ ...stage, driver }, []).settled(publicId)).rejects.toMatchObject({
      code: 'ROWLOCK_JOB_NOT_FOUND',
    });
    expect(looks).toBe(2);
  });
});
