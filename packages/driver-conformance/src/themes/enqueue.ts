import { LIMITS, type NewJob } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { theme } from '../theme.js';
import { within } from '../until.js';
import { AnyJson, clientOf } from '../worker-process.js';
import { withWrongClock } from '../wrong-clock.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const enqueue = theme('enqueue', (test) => {
  test('inserts in the order given', async ({ driver, reader, queue, newJob }) => {
    const jobs = Array.from({ length: 50 }, (_, place) => newJob({ payload: { place } }));
    const enqueued = await driver.jobs.enqueue(jobs);
    const rows = await reader.jobs(queue);
    expect(rows.map(({ payload }) => payload)).toEqual(jobs.map(({ payload }) => payload));
    expect(rows.map(({ publicId }) => publicId)).toEqual(enqueued.map(({ publicId }) => publicId));
  });

  test('gives ids that grow from call to call', async ({ put }) => {
    const ids: bigint[] = [];
    for (let call = 0; call < 5; call++) ids.push((await put()).id);
    expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(new Set(ids).size).toBe(5);
  });

  test('writes every column', async ({ driver, reader, queue, key, row }) => {
    const job: NewJob = {
      queue,
      kind: 'spreadsheet.update',
      key,
      payload: { rows: [1, 2, 3] },
      priority: -7,
      available: { at: new Date('2100-02-03T04:05:06.789Z') },
      maxAttempts: 9,
      unique: { key: `unique-${key}`, scope: 'outstanding' },
      metadata: { tenant: 'acme' },
      limits: '{"a limit":2,"ö":1}',
      createdBy: 'host-a',
    };
    const before = await reader.now();
    const [enqueued] = await driver.jobs.enqueue([job]);
    const after = await reader.now();

    expect(enqueued?.outcome).toBe('enqueued');
    expect(enqueued?.publicId).toMatch(UUID);
    const written = await row({ publicId: enqueued?.publicId ?? '' });
    const { available, unique, ...same } = job;
    expect(written).toMatchObject(same);
    expect(written.availableAt).toEqual(new Date('2100-02-03T04:05:06.789Z'));
    expect(written.uniqueKey).toBe(unique?.key);
    expect(written.createdAt.getTime()).toBeGreaterThanOrEqual(before.getTime());
    expect(written.createdAt.getTime()).toBeLessThanOrEqual(after.getTime());
  });

  test('gives each job of one call what is its own, whatever it has in common with the others', async ({
    driver,
    reader,
    queue,
    key,
    newJob,
  }) => {
    const own: Partial<NewJob> = {
      key,
      payload: 'it\'s "quoted", {in \\braces}, Ω\n🚣',
      priority: 3,
      available: { at: new Date('2100-02-03T04:05:06.789Z') },
      maxAttempts: 9,
      metadata: { tenant: 'a"b\\c' },
      createdBy: 'host "b"',
    };
    const unique = (name: string): Partial<NewJob> => ({ unique: { key: `${key} ${name}`, scope: 'ever' } });
    const calls = [
      [{}, {}, {}],
      [own, own, own],
      [{}, own, {}],
      [own, {}, own],
      [{ ...own, ...unique('first') }, {}, { ...own, ...unique('second') }],
      [{ payload: null }, { payload: null }],
    ].map((changes) => changes.map((change) => newJob(change)));
    for (const jobs of calls) await driver.jobs.enqueue(jobs);
    const rows = await reader.jobs(queue);
    expect(rows).toHaveLength(calls.flat().length);
    for (const [index, { available, unique: wanted, ...job }] of calls.flat().entries()) {
      expect(rows[index]).toMatchObject({ ...job, uniqueKey: wanted?.key ?? null });
      if ('at' in available) expect(rows[index]?.availableAt).toEqual(available.at);
    }
  });

  test('starts a job as new and without a history', async ({ put, reader }) => {
    const job = await put();
    expect(job).toMatchObject({
      status: 'new',
      attempt: 0,
      crashes: 0,
      redrives: 0,
      uniqueKey: null,
      output: null,
      error: null,
      runId: null,
      startedAt: null,
      startedBy: null,
      finishedAt: null,
      finishedBy: null,
    });
    expect(await reader.runs(job.publicId)).toEqual([]);
  });

  test('gives public ids that cannot be counted up', async ({ putMany }) => {
    const rows = await putMany(Array.from({ length: 20 }, () => ({})));
    expect(new Set(rows.map(({ publicId }) => publicId)).size).toBe(20);
    // The last group of digits is random in every version of UUID that may be used here.
    expect(new Set(rows.map(({ publicId }) => publicId.slice(-12))).size).toBe(20);
  });

  test('takes an empty list', async ({ driver, reader, queue }) => {
    expect(await driver.jobs.enqueue([])).toEqual([]);
    expect(await reader.jobs(queue)).toEqual([]);
  });

  test(`takes ${LIMITS.jobsPerCall} jobs in one call`, async ({ driver, queue, newJob, reader }) => {
    const jobs = Array.from({ length: LIMITS.jobsPerCall }, (_, place) => newJob({ payload: place }));
    const enqueued = await driver.jobs.enqueue(jobs);
    expect(new Set(enqueued.map(({ publicId }) => publicId)).size).toBe(jobs.length);
    const rows = await reader.jobs(queue);
    expect(rows.map(({ payload }) => payload)).toEqual(jobs.map(({ payload }) => payload));
    expect(rows.map(({ publicId }) => publicId)).toEqual(enqueued.map(({ publicId }) => publicId));
  });

  test('takes names and keys of the greatest length', async ({ put, queue, key, hold }) => {
    const long = (seed: string, length: number): string => seed.padEnd(length, '€').slice(0, length);
    const change = {
      queue: long(queue, LIMITS.nameCharacters),
      kind: long('kind-', LIMITS.nameCharacters),
      key: long(key, LIMITS.keyCharacters),
      unique: { key: long(key, LIMITS.keyCharacters), scope: 'ever' },
    } as const;
    const job = await put(change);
    expect(job).toMatchObject({
      queue: change.queue,
      kind: change.kind,
      key: change.key,
      uniqueKey: change.unique.key,
    });
    const { job: claimed, held } = await hold({ queue: change.queue, kinds: [change.kind] });
    expect(claimed.id).toBe(job.id);
    expect(await held.lockSiblings({ queue: change.queue, keys: [change.key] }, 10)).toHaveLength(1);
  });

  test('stores all jobs of a call, or none', async ({ driver, reader, queue, newJob }) => {
    const jobs = [newJob(), newJob({ payload: 'a NUL: \0' }), newJob()];
    await expect(driver.jobs.enqueue(jobs)).rejects.toMatchObject({ code: 'InvalidInput' });
    expect(await reader.jobs(queue)).toEqual([]);
  });

  test('stores all of thousands of jobs, or none, whichever of them is refused', async ({
    driver,
    reader,
    queue,
    newJob,
  }) => {
    const [nul, wrong] = [{ text: '\0' }, { at: new Date(Number.NaN) }];
    for (const bad of [newJob({ payload: nul }), newJob({ available: wrong })]) {
      const jobs = Array.from({ length: 2_500 }, (_, place) => (place === 2_300 ? bad : newJob()));
      await expect(driver.jobs.enqueue(jobs)).rejects.toMatchObject({ code: 'InvalidInput' });
      expect(await reader.jobs(queue)).toEqual([]);
    }
  });

  test('of thousands of jobs tells which are duplicates, wherever in the call', async ({
    driver,
    reader,
    queue,
    newJob,
    put,
  }) => {
    const unique = (key: string): Partial<NewJob> => ({
      unique: { key: `${queue} ${key}`, scope: 'outstanding' },
    });
    const before = await put(unique('before'));
    const jobs = Array.from({ length: 2_500 }, (_, place) => newJob({ payload: place }));
    for (const place of [1_200, 2_400]) jobs[place] = newJob({ payload: place, ...unique('before') });
    for (const place of [100, 2_300]) jobs[place] = newJob({ payload: place, ...unique('twice') });
    const enqueued = await driver.jobs.enqueue(jobs);
    const duplicates = enqueued.flatMap(({ outcome }, place) => (outcome === 'duplicate' ? [place] : []));
    expect(duplicates).toEqual([1_200, 2_300, 2_400]);
    expect(enqueued[1_200]).toEqual({ outcome: 'duplicate', publicId: before.publicId });
    expect(enqueued[2_300]).toEqual({ outcome: 'duplicate', publicId: enqueued[100]?.publicId });
    const rows = (await reader.jobs(queue)).slice(1);
    const kept = jobs.filter((_, place) => !duplicates.includes(place));
    expect(rows.map(({ payload }) => payload)).toEqual(kept.map(({ payload }) => payload));
  });

  test("counts a delay by the database's clock", async ({ driver, reader, newJob, row }) => {
    const before = await reader.now();
    const [enqueued] = await withWrongClock(() =>
      driver.jobs.enqueue([newJob({ available: { inMs: 3_600_000 } })]),
    );
    const after = await reader.now();
    const { availableAt, createdAt } = await row({ publicId: enqueued?.publicId ?? '' });
    expect(availableAt.getTime()).toBeGreaterThanOrEqual(before.getTime() + 3_600_000);
    expect(availableAt.getTime()).toBeLessThanOrEqual(after.getTime() + 3_600_000);
    expect(createdAt.getTime()).toBeGreaterThanOrEqual(before.getTime());
    expect(createdAt.getTime()).toBeLessThanOrEqual(after.getTime());
  });

  test('makes a job without delay claimable at once', async ({ put, hold }) => {
    const job = await put({ available: { inMs: 0 } });
    expect((await hold()).job.id).toBe(job.id);
  });

  test('makes a job whose instant has passed claimable at once', async ({ put, hold }) => {
    const job = await put({ available: { at: new Date('1999-12-31T23:59:59.999Z') } });
    expect(job.availableAt).toEqual(new Date('1999-12-31T23:59:59.999Z'));
    expect((await hold()).job.id).toBe(job.id);
  });

  test('takes a row that was written by hand, with its queue, kind and payload alone', async ({
    reader,
    queue,
    row,
    hold,
    view,
  }) => {
    const publicId = await reader.insert({ queue, kind: 'work', payload: { from: 'a legacy system' } });
    expect(await row({ publicId })).toMatchObject({
      status: 'new',
      key: null,
      priority: 0,
      attempt: 0,
      crashes: 0,
      redrives: 0,
      metadata: {},
    });
    const { job } = await hold();
    expect(job).toMatchObject({ publicId, payload: { from: 'a legacy system' } });
    expect(job.maxAttempts).toBeGreaterThan(0);
    expect((await view({ publicId })).publicId).toBe(publicId);
  });

  test('never waits for a job of the same key that somebody holds', async ({
    key,
    newJob,
    put,
    hold,
    driver,
  }) => {
    await put({ key });
    const { held, job } = await hold();
    await held.lockSiblings({ queue: job.queue, keys: [key] }, 10);
    const enqueued = await within('the enqueue beside a held key', driver.jobs.enqueue([newJob({ key })]));
    expect(enqueued).toMatchObject([{ outcome: 'enqueued' }]);
  });

  test('of many calls at once each has the outcomes of its own jobs, in their order', async (stage) => {
    const { queue, reader } = stage;
    const places = [queue, `${queue} too`];
    const client = clientOf(stage, []);
    const calls = Array.from({ length: 60 }, (_, call) => ({
      place: places[call % 2] ?? queue,
      // Now and then several, with a unique key, or too many to share a statement.
      jobs: Array.from({ length: call % 20 === 0 ? 60 : 1 + (call % 3) }, (_, job) => ({
        payload: { call, job },
        unique: call % 7 === 0 ? `${queue} ${call} ${job}` : null,
      })),
    }));
    const outcomes = await Promise.all(
      calls.map(({ place, jobs }) =>
        client.enqueueMany({ kind: place, queue: place, payload: AnyJson }, jobs),
      ),
    );
    const rows = (await Promise.all(places.map((place) => reader.jobs(place)))).flat();
    const found = new Map(rows.map(({ publicId, queue: place, payload }) => [publicId, { place, payload }]));
    expect(found.size).toBe(calls.flatMap(({ jobs }) => jobs).length);
    for (const [call, { place, jobs }] of calls.entries()) {
      const own = outcomes[call]?.map(({ outcome, publicId }) => ({ outcome, ...found.get(publicId) }));
      expect(own).toEqual(jobs.map(({ payload }) => ({ outcome: 'enqueued', place, payload })));
    }
  });
});
