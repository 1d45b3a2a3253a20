import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { moveOne } from '../move-one.js';
import { settlement } from '../stage.js';
import { theme } from '../theme.js';
import { within } from '../until.js';

/** Beyond every id that a test makes. */
const LAST = 2n ** 62n;

export const dependencies = theme('dependencies', (test) => {
  test('finds nothing where nothing is', async ({ key, claimSession }) => {
    const question = { key, kinds: ['create'], before: LAST, except: [] };
    expect(await claimSession().firstOutstanding(question)).toBeUndefined();
  });

  test('finds the lowest id of the kinds and the key', async ({ key, putMany, claimSession }) => {
    const [create, share] = await putMany([
      { key, kind: 'create', priority: 9 },
      { key, kind: 'share', priority: 1 },
      { key, kind: 'create' },
    ]);
    const held = claimSession();
    const question = { key, before: LAST, except: [] };
    expect(await held.firstOutstanding({ ...question, kinds: ['create'] })).toBe(create?.id);
    expect(await held.firstOutstanding({ ...question, kinds: ['share', 'create'] })).toBe(create?.id);
    expect(await held.firstOutstanding({ ...question, kinds: ['share'] })).toBe(share?.id);
    expect(await held.firstOutstanding({ ...question, kinds: ['delete'] })).toBeUndefined();
    expect(await held.firstOutstanding({ ...question, kinds: [] })).toBeUndefined();
  });

  test('finds it in whatever queue it is', async ({ key, queue, put, claimSession }) => {
    const create = await put({ key, kind: 'create', queue: `${queue}-other` });
    const question = { key, kinds: ['create'], before: LAST, except: [] };
    expect(await claimSession().firstOutstanding(question)).toBe(create.id);
  });

  test('does not look at other keys', async ({ key, put, claimSession }) => {
    await put({ key: `${key}-other`, kind: 'create' });
    const question = { key, kinds: ['create'], before: LAST, except: [] };
    expect(await claimSession().firstOutstanding(question)).toBeUndefined();
  });

  test('looks only below the given id', async ({ key, putMany, claimSession }) => {
    const [first, second] = await putMany([
      { key, kind: 'create' },
      { key, kind: 'create' },
    ]);
    const held = claimSession();
    const ask = (before: bigint) => held.firstOutstanding({ key, kinds: ['create'], before, except: [] });
    expect(await ask(first?.id ?? 0n)).toBeUndefined();
    expect(await ask((first?.id ?? 0n) + 1n)).toBe(first?.id);
    expect(await ask(second?.id ?? 0n)).toBe(first?.id);
  });

  test('passes over the ids that are excepted', async ({ key, putMany, claimSession }) => {
    const [first, second, third] = await putMany([
      { key, kind: 'create' },
      { key, kind: 'create' },
      { key, kind: 'create' },
    ]);
    const held = claimSession();
    const ask = (except: readonly bigint[]) =>
      held.firstOutstanding({ key, kinds: ['create'], before: LAST, except });
    expect(await ask([first?.id ?? 0n])).toBe(second?.id);
    expect(await ask([second?.id ?? 0n, first?.id ?? 0n])).toBe(third?.id);
    expect(await ask([first?.id ?? 0n, second?.id ?? 0n, third?.id ?? 0n])).toBeUndefined();
  });

  test('counts a job whose time has not come', async ({ key, put, claimSession }) => {
    const create = await put({ key, kind: 'create', available: { inMs: 3_600_000 } });
    const question = { key, kinds: ['create'], before: LAST, except: [] };
    expect(await claimSession().firstOutstanding(question)).toBe(create.id);
  });

  test('counts a job between two attempts', async ({ key, put, serve, claimSession }) => {
    const create = await put({ key, kind: 'create' });
    await serve({ event: 'retry', delayMs: 3_600_000 }, { kinds: ['create'] });
    const question = { key, kinds: ['create'], before: LAST, except: [] };
    expect(await claimSession().firstOutstanding(question)).toBe(create.id);
  });

  test('counts a job in progress without a lock', async ({ key, put, reader, claimSession }) => {
    const create = await put({ key, kind: 'create' });
    await reader.write(create.publicId, {
      status: 'in-progress',
      runId: randomUUID(),
      startedAt: await reader.now(),
      startedBy: 'host',
    });
    const question = { key, kinds: ['create'], before: LAST, except: [] };
    expect(await claimSession().firstOutstanding(question)).toBe(create.id);
  });

  test('counts a job that another transaction holds, without waiting for it', async ({
    key,
    put,
    hold,
    claimSession,
  }) => {
    const create = await put({ key, kind: 'create' });
    await hold({ kinds: ['create'] });
    const question = { key, kinds: ['create'], before: LAST, except: [] };
    const found = within('the answer beside a held job', claimSession().firstOutstanding(question));
    expect(await found).toBe(create.id);
  });

  for (const event of ['complete', 'fail', 'exhaust', 'abandon'] as const) {
    test(`does not count a job that is settled by ${event}`, async ({ key, put, serve, claimSession }) => {
      await put({ key, kind: 'create' });
      await serve({ event }, { kinds: ['create'] });
      const question = { key, kinds: ['create'], before: LAST, except: [] };
      expect(await claimSession().firstOutstanding(question)).toBeUndefined();
    });
  }

  test('counts again a job that was redriven', async ({ key, put, serve, driver, claimSession }) => {
    const create = await put({ key, kind: 'create' });
    await serve({ event: 'fail' }, { kinds: ['create'] });
    await moveOne(driver, 'redrive', create.publicId);
    const question = { key, kinds: ['create'], before: LAST, except: [] };
    expect(await claimSession().firstOutstanding(question)).toBe(create.id);
  });

  test('does not count what is not committed', async ({ key, driver, newJob, caller, claimSession }) => {
    const application = await caller();
    await driver.join(application.tx).jobs.enqueue([newJob({ key, kind: 'create' })]);
    const question = { key, kinds: ['create'], before: LAST, except: [] };
    expect(await claimSession().firstOutstanding(question)).toBeUndefined();
  });

  test('sees a settlement that was committed after its transaction began', async ({
    key,
    put,
    hold,
    claimSession,
  }) => {
    const create = await put({ key, kind: 'create' });
    const question = { key, kinds: ['create'], before: LAST, except: [] };
    const asking = claimSession();
    const { held, job } = await hold({ kinds: ['create'] });
    expect(await asking.firstOutstanding(question)).toBe(create.id);
    await held.settle([settlement(job)]);
    expect(await asking.firstOutstanding(question)).toBe(create.id);
    await held.commit();
    expect(await asking.firstOutstanding(question)).toBeUndefined();
  });

  test('locks nothing: another transaction claims the job at once', async ({
    key,
    put,
    claimSession,
    take,
  }) => {
    const create = await put({ key, kind: 'create' });
    const asking = claimSession();
    await asking.firstOutstanding({ key, kinds: ['create'], before: LAST, except: [] });
    expect((await take(claimSession(), { kinds: ['create'] })).id).toBe(create.id);
  });
});
