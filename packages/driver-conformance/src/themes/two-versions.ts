import { complete, defineHandler, type Json } from '@rowlock/core';
import type { AnyHandler } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { within } from '../until.js';
import { ANumber, AnyJson, openWorker, SOON, startWorker } from '../worker-process.js';
import { withWrongClock } from '../wrong-clock.js';

/** Runs a worker until it has settled a run, and stops it. */
async function oneRun<Tx>(stage: Stage<Tx>, handlers: readonly AnyHandler<Tx>[]): Promise<void> {
  const { worker } = await openWorker(stage, handlers);
  const settled = new Promise<void>((resolve) => worker.on('settled', () => resolve()));
  await worker.start();
  await within('a run', settled);
  await within('the worker has stopped', worker.stop());
}

export const twoVersions = theme('two versions', (test) => {
  test('an old worker that refuses a newer payload leaves the job for a new worker, with all attempts', async (stage) => {
    const { queue, reader, put } = stage;
    const seen: Json[] = [];
    const shared = { kind: 'work', queue, retry: SOON } as const;
    const old = defineHandler({ ...shared, payload: ANumber, run: () => {} });
    const { publicId } = await put({ payload: { rows: 3 }, maxAttempts: 1 });
    await oneRun(stage, [old]);
    expect(await stage.row({ publicId })).toMatchObject({
      status: 'new',
      attempt: 0,
      error: { code: 'ROWLOCK_INVALID_PAYLOAD', details: [{ path: [] }] },
    });
    expect((await reader.runs(publicId))[0]).toMatchObject({ outcome: 'snooze' });

    const run = ({ job }: { job: { payload: Json } }) => complete(seen.push(job.payload));
    await startWorker(stage, [defineHandler({ ...shared, payload: AnyJson, run })]);
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1, error: null }]);
    expect(seen).toEqual([{ rows: 3 }]);
  });

  test('a later job of the key waits for one that is refused, where the handler keeps the order', async (stage) => {
    const { queue, key, putMany, reader } = stage;
    const old = defineHandler({
      kind: 'work',
      queue,
      payload: ANumber,
      after: ['work'],
      retry: { base: '1h' },
      run: () => {},
    });
    await putMany([
      { key, payload: 'newer' },
      { key, payload: 2 },
    ]);
    await oneRun(stage, [old]);
    const held = stage.claimSession();
    const second = await stage.take(held);
    const question = { key, kinds: ['work'], before: second.id, except: [] };
    const [refused] = await reader.jobs(queue);
    expect(refused).toMatchObject({ status: 'new', error: { code: 'ROWLOCK_INVALID_PAYLOAD' } });
    expect(await held.firstOutstanding(question)).toBe(refused?.id);
  });

  test('a refused job of a group waits, and the others run', async (stage) => {
    const { queue, key, putMany, reader } = stage;
    const retry = { base: '1h' } as const;
    const old = defineHandler({ kind: 'work', queue, payload: ANumber, group: true, retry, run: () => {} });
    await putMany([1, 'newer', 3].map((payload) => ({ key, payload })));
    await oneRun(stage, [old]);
    expect(await reader.jobs(queue)).toMatchObject([
      { status: 'complete' },
      { status: 'new', attempt: 0, error: { code: 'ROWLOCK_INVALID_PAYLOAD' } },
      { status: 'complete' },
    ]);
  });

  test('a handler that says so fails a refused job at once', async (stage) => {
    const { queue, put } = stage;
    const payload = ANumber;
    const handler = defineHandler({ kind: 'work', queue, payload, onInvalidPayload: 'fail', run: () => {} });
    await put({ payload: 'text' });
    await startWorker(stage, [handler]);
    expect(await allSettled(stage)).toMatchObject([
      { status: 'error', attempt: 1, error: { code: 'ROWLOCK_INVALID_PAYLOAD', details: [{ path: [] }] } },
    ]);
  });

  test("a refused job ends a day after its enqueue, by the database's clock alone", async (stage) => {
    const { queue, reader, row, put } = stage;
    const handler = defineHandler({ kind: 'work', queue, payload: ANumber, retry: SOON, run: () => {} });
    const job = await put({ payload: 'newer' });
    await withWrongClock(() => oneRun(stage, [handler]), 2101);
    expect(await row(job)).toMatchObject({ status: 'new', attempt: 0 });
    const createdAt = new Date((await reader.now()).getTime() - 90_000_000);
    await reader.write(job.publicId, { createdAt, availableAt: createdAt });
    await withWrongClock(() => oneRun(stage, [handler]));
    expect(await row(job)).toMatchObject({ status: 'error', error: { code: 'ROWLOCK_INVALID_PAYLOAD' } });
  });

  test('a job of a kind that an old worker does not serve waits for a new worker', async (stage) => {
    const { queue, reader, putMany } = stage;
    const old = defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
    await putMany([{ kind: 'renamed' }, {}]);
    await oneRun(stage, [old]);
    expect(await reader.jobs(queue)).toMatchObject([{ status: 'new', attempt: 0 }, { status: 'complete' }]);
    await startWorker(stage, [old, { ...old, kind: 'renamed' }]);
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1 }, {}]);
  });
});
