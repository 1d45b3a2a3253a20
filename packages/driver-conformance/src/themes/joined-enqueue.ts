import { expect } from 'vitest';
import { settlement } from '../stage.js';
import { theme } from '../theme.js';

export const joinedEnqueue = theme('joined enqueue', (test) => {
  test("joined: is invisible before the caller's commit and there after it", async ({
    driver,
    reader,
    queue,
    newJob,
    caller,
    claimSession,
    claim,
  }) => {
    const application = await caller();
    const [enqueued] = await driver.join(application.tx).jobs.enqueue([newJob()]);
    expect(await reader.jobs(queue)).toEqual([]);
    expect(await claim(claimSession())).toBeUndefined();
    await application.commit();
    expect((await reader.jobs(queue)).map(({ publicId }) => publicId)).toEqual([enqueued?.publicId]);
    expect((await claim(claimSession()))?.publicId).toBe(enqueued?.publicId);
  });

  test("joined: commits and vanishes with the caller's own writes", async ({
    driver,
    reader,
    queue,
    newJob,
    caller,
    createNotes,
  }) => {
    const notes = await createNotes();

    const refused = await caller();
    await notes.write(refused.tx, 'refused');
    await driver.join(refused.tx).jobs.enqueue([newJob({ payload: 'refused' })]);
    await refused.rollback();

    const accepted = await caller();
    await notes.write(accepted.tx, 'accepted');
    await driver.join(accepted.tx).jobs.enqueue([newJob({ payload: 'accepted' })]);
    await accepted.commit();

    expect(await notes.all()).toEqual(['accepted']);
    expect((await reader.jobs(queue)).map(({ payload }) => payload)).toEqual(['accepted']);
  });

  test('joined: frees the unique key of a job that was rolled back', async ({
    driver,
    key,
    newJob,
    put,
    caller,
  }) => {
    const application = await caller();
    const unique = { key, scope: 'ever' } as const;
    await driver.join(application.tx).jobs.enqueue([newJob({ unique })]);
    await application.rollback();
    await put({ unique });
  });

  test("joined: a duplicate leaves the caller's transaction alive", async ({
    driver,
    reader,
    queue,
    key,
    newJob,
    put,
    caller,
  }) => {
    const unique = { key, scope: 'outstanding' } as const;
    const first = await put({ unique });
    const application = await caller();
    const store = driver.join(application.tx);
    expect(await store.jobs.enqueue([newJob({ unique })])).toEqual([
      { outcome: 'duplicate', publicId: first.publicId },
    ]);
    await store.jobs.enqueue([newJob({ payload: 'after the duplicate' })]);
    await application.commit();
    expect((await reader.jobs(queue)).map(({ payload }) => payload)).toEqual([{}, 'after the duplicate']);
  });

  test('joined: sees what the same transaction enqueued before', async ({
    driver,
    key,
    newJob,
    caller,
    view,
  }) => {
    const unique = { key, scope: 'outstanding' } as const;
    const application = await caller();
    const store = driver.join(application.tx);
    const [first] = await store.jobs.enqueue([newJob({ unique })]);
    expect(await store.jobs.enqueue([newJob({ unique })])).toEqual([
      { outcome: 'duplicate', publicId: first?.publicId },
    ]);
    expect((await view({ publicId: first?.publicId ?? '' }, store)).status).toBe('new');
  });

  test('joined: what was settled since the transaction began is no longer in the way', async ({
    driver,
    key,
    newJob,
    put,
    reader,
    caller,
  }) => {
    const unique = { key, scope: 'outstanding' } as const;
    const first = await put({ unique });
    const application = await caller();
    // From here on a transaction that has a snapshot sees it.
    await driver.join(application.tx).jobs.count({}, { limit: 1, before: null });
    await reader.write(first.publicId, { status: 'complete', finishedAt: await reader.now() });
    const joined = driver.join(application.tx);
    const [second, third] = await joined.jobs.enqueue([newJob({ unique }), newJob({ unique })]);
    expect(second).toMatchObject({ outcome: 'enqueued' });
    expect(third).toEqual({ outcome: 'duplicate', publicId: second?.publicId });
    expect(await joined.jobs.enqueue([newJob({ unique })])).toEqual([third]);
    await application.commit();
    expect(await reader.job(second?.publicId ?? '')).toMatchObject({ status: 'new' });
  });

  test('joined to a claim: enqueues with the settlement, or not at all', async ({
    driver,
    reader,
    queue,
    newJob,
    put,
    hold,
  }) => {
    await put({ payload: 'parent' });
    const failed = await hold();
    await driver.join(failed.held.handle).jobs.enqueue([newJob({ payload: 'child of a failed run' })]);
    await failed.held.rollback();

    const { held, job } = await hold();
    await driver.join(held.handle).jobs.enqueue([newJob({ payload: 'child' })]);
    expect((await reader.jobs(queue)).map(({ payload }) => payload)).toEqual(['parent']);
    await held.settle([settlement(job)]);
    await held.commit();
    expect((await reader.jobs(queue)).map(({ payload, status }) => [payload, status])).toEqual([
      ['parent', 'complete'],
      ['child', 'new'],
    ]);
  });
});
