import { type Driver, defineHandler, increment } from '@rowlock/core';
import type { AuditedAction } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { instead } from '../instead.js';
import { endProcess, type Stage } from '../stage.js';
import { theme } from '../theme.js';
import { AnyJson, clientOf } from '../worker-process.js';

/** What must not be on record. */
const SECRET = 'a secret of the payload';

const HOURLY = { every: '1h', payload: { text: SECRET } } as const;

function entry(
  action: AuditedAction['action'],
  scope: AuditedAction['scope'],
  name: string,
  details: AuditedAction['details'] = {},
): AuditedAction {
  return { action, scope, name, details };
}

/** A driver that refuses to put on record what operators do. */
function unwilling<Tx>(driver: Driver<Tx>): Driver<Tx> {
  const note = () => Promise.reject(new Error('no record'));
  return instead(driver, {
    join: (tx: Parameters<Driver<Tx>['join']>[0]) => instead(driver.join(tx), { audit: { note } }),
  });
}

/** Of a queue of the test, so that nothing else is changed. */
function handlerOf<Tx>({ queue }: Stage<Tx>) {
  return defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => {} });
}

export const audit = theme('audit', (test) => {
  test.once(
    "each call in an operator's name has one entry, without a payload, and the program's own calls have none",
    async (stage) => {
      const { queue, key, reader, putMany, driver } = stage;
      const Work = handlerOf(stage);
      const client = clientOf(stage, [Work]);
      const ada = client.as(key);
      const payload = { text: SECRET };
      const until = new Date('2100-01-01');
      const { publicId } = await ada.enqueue(Work, { payload, metadata: { text: SECRET } });
      const several = await ada.enqueueMany(Work, [{ payload }, { payload }]);
      const ids = several.map((each) => each.publicId);
      await ada.update(publicId, { payload, priority: 3, delay: '1h' });
      await ada.jobs.updateMetadata(publicId, [increment('n')]);
      await ada.cancel(publicId);
      await ada.redrive(publicId);
      await ada.jobs.pause({ queue }, { until, reason: 'down' });
      await ada.jobs.resume({ queue });
      await ada.limits.set(key, { max: 3, starts: 2, per: '1s' });
      await ada.limits.reset(key);
      await ada.errors.mute(key, { until });
      await ada.errors.unmute(key);
      await ada.errors.note(key, 'ada looks');
      await ada.schedules.set(key, { handler: Work, ...HOURLY });
      await ada.schedules.pause(key);
      await ada.schedules.resume(key);
      const run = await ada.schedules.run(key);
      expect(await ada.schedules.remove(key)).toBe(true);
      await ada.jobs.updateMany({ queue, publicIds: ids }, { queue: `${queue} 2` });
      await ada.jobs.cancelMany({ queue: `${queue} 2`, payload: { text: SECRET } });
      await ada.jobs.redriveMany({ queue: `${queue} 2`, status: 'cancelled', key: 'k' });
      await ada.jobs.deleteMany({ queue: `${queue} 2`, created: { before: until } });

      const filter = { queue: `${queue} 2` };
      expect(await reader.audit(key)).toEqual([
        entry('enqueue', 'job', publicId, { kind: 'work', queue }),
        entry('enqueue', 'jobs', '', { kind: 'work', queue, ids, count: 2 }),
        entry('update', 'job', publicId, { fields: ['payload', 'priority', 'delay'] }),
        entry('update', 'job', publicId, { fields: ['metadata'] }),
        entry('cancel', 'job', publicId, { outcome: 'cancelled' }),
        entry('redrive', 'job', publicId),
        entry('pause', 'queue', queue, { until: until.toISOString(), reason: 'down' }),
        entry('resume', 'queue', queue),
        entry('set', 'limit', key, { max: 3, starts: 2, perMs: 1_000, burst: 1 }),
        entry('reset', 'limit', key),
        entry('mute', 'error', key, { until: until.toISOString() }),
        entry('unmute', 'error', key),
        entry('note', 'error', key, { text: 'ada looks' }),
        entry('set', 'schedule', key, { kind: 'work', queue, everyMs: 3_600_000 }),
        entry('pause', 'schedule', key),
        entry('resume', 'schedule', key),
        entry('run', 'schedule', key, { outcome: 'enqueued', job: run.publicId }),
        entry('remove', 'schedule', key),
        entry('update', 'jobs', '', {
          fields: ['queue'],
          queue: `${queue} 2`,
          filter: { queue, status: ['new'], ids, count: 2 },
          changed: 2,
          signalled: 0,
        }),
        entry('cancel', 'jobs', '', {
          filter: { ...filter, status: ['new', 'in-progress'], payload: ['text'] },
          changed: 2,
          signalled: 0,
        }),
        entry('delete', 'jobs', '', {
          filter: {
            ...filter,
            status: ['complete', 'error', 'cancelled'],
            created: { before: until.toISOString() },
          },
          changed: 2,
          signalled: 0,
        }),
      ]);
      expect(JSON.stringify(await client.insight.audit({ by: key }))).not.toContain(SECRET);

      const [job] = await putMany([{}]);
      const before = await driver.audit.list({ ...ANY, limit: 1 });
      await client.jobs.pause({ queue });
      await client.cancel(job?.publicId ?? '');
      await client.jobs.redriveMany({ queue, status: 'cancelled' });
      expect(await driver.audit.list({ ...ANY, limit: 1 })).toEqual(before);
      expect((await client.jobs.pauses()).find(({ name }) => name === queue)?.by).not.toBe(key);
      await client.jobs.resume({ queue });
    },
  );

  test.once(
    'what cannot be put on record is not done, and what was not done is not on record',
    async (stage) => {
      const { key, queue, reader, put, row, driver } = stage;
      const job = await put({ kind: 'work' });
      const refused = clientOf({ ...stage, driver: unwilling(driver) }, []).as(key);
      const calls = [
        () => refused.cancel(job.publicId),
        () => refused.update(job.publicId, { priority: 5 }),
        () => refused.enqueue(handlerOf(stage), { payload: 1 }),
        () => refused.jobs.cancelMany({ queue }),
        () => refused.jobs.pause({ queue }),
        () => refused.limits.set(key, { max: 1 }),
        () => refused.schedules.set(key, { handler: handlerOf(stage), ...HOURLY }),
      ];
      for (const call of calls) await expect(call()).rejects.toThrow('no record');
      const ada = clientOf(stage, []).as(key);
      expect(await row(job)).toEqual(job);
      expect(await reader.jobs(queue)).toEqual([job]);
      expect((await ada.jobs.pauses()).filter(({ name }) => name === queue)).toEqual([]);
      expect((await ada.limits.list()).filter(({ name }) => name === key)).toEqual([]);
      expect(await ada.schedules.remove(key)).toBe(false);

      await expect(ada.redrive(job.publicId)).rejects.toMatchObject({ code: 'ROWLOCK_ILLEGAL_TRANSITION' });
      await expect(ada.cancel('0192f3c4-0000-7000-8000-000000000000')).rejects.toMatchObject({
        code: 'ROWLOCK_JOB_NOT_FOUND',
      });
      await expect(ada.schedules.pause(key)).rejects.toMatchObject({ code: 'ROWLOCK_SCHEDULE_NOT_FOUND' });
      await ada.jobs.cancelMany({ queue }, { dryRun: true });
      await ada.jobs.cancelMany({ queue, kind: 'no such kind' });
      expect(await reader.audit(key)).toEqual([]);
    },
  );

  test.once("in a caller's transaction an action and its entry are committed together", async (stage) => {
    const { key, reader, put, row } = stage;
    const ada = clientOf(stage, []).as(key);
    const job = await put();
    for (const end of ['rollback', 'commit'] as const) {
      const { tx, ...application } = await stage.caller();
      expect(await ada.cancel(job.publicId, { tx })).toBe('cancelled');
      await ada.jobs.pause({ queue: key }, {}, { tx });
      expect(await reader.audit(key)).toEqual([]);
      await application[end]();
    }
    expect((await row(job)).status).toBe('cancelled');
    expect(await reader.audit(key)).toEqual([
      entry('cancel', 'job', job.publicId, { outcome: 'cancelled' }),
      entry('pause', 'queue', key, { until: null, reason: null }),
    ]);
    await clientOf(stage, []).jobs.resume({ queue: key });
  });

  test.once('a call for many jobs that ends half way has what it did on record', async (stage) => {
    const { key, queue, reader, putMany } = stage;
    await putMany(Array.from({ length: 250 }, () => ({})));
    const stop = new AbortController();
    const ada = clientOf(stage, []).as(key);
    const { signal } = stop;
    const onProgress = ({ changed }: { readonly changed: number }) => {
      if (changed === 200) stop.abort(new Error('enough'));
    };
    await expect(ada.jobs.cancelMany({ queue }, { signal, onProgress })).rejects.toThrow('enough');
    const statuses = (await reader.jobs(queue)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'cancelled')).toHaveLength(200);
    expect(await reader.audit(key)).toMatchObject([{ action: 'cancel', details: { changed: 200 } }]);
  });

  test.once(
    'a job whose unique key is taken again is skipped, and the others are on record',
    async (stage) => {
      const { key, queue, reader, putMany } = stage;
      const unique = { key, scope: 'outstanding' } as const;
      const ada = clientOf(stage, []).as(key);
      await putMany([{ unique }, {}, {}]);
      await clientOf(stage, []).jobs.cancelMany({ queue });
      await putMany([{ unique }]);
      expect(await ada.jobs.redriveMany({ queue, status: 'cancelled' })).toMatchObject({
        found: 3,
        changed: 2,
        skipped: 1,
      });
      expect(await reader.audit(key)).toMatchObject([{ action: 'redrive', details: { changed: 2 } }]);
    },
  );

  test.once('entries are read a page at a time, and found by who did what to what', async (stage) => {
    const client = clientOf(stage, []);
    const { key } = stage;
    for (const name of ['a', 'b', 'c']) {
      await client.as(key).jobs.pause({ queue: `${key} ${name}` });
      await client.as(`${key} 2`).jobs.resume({ queue: `${key} ${name}` });
    }
    const first = await client.insight.audit({ by: key, limit: 2 });
    expect(first.entries.map(({ name }) => name)).toEqual([`${key} c`, `${key} b`]);
    const second = await client.insight.audit({ by: key, limit: 2, cursor: first.cursor });
    expect(second).toMatchObject({ entries: [{ name: `${key} a`, action: 'pause', by: key }], cursor: null });
    const [latest] = first.entries;
    expect(Math.abs((latest?.at.getTime() ?? 0) - (await stage.reader.now()).getTime())).toBeLessThan(
      600_000,
    );
    const of = { scope: 'queue', name: `${key} b` } as const;
    const actions = async (options: Parameters<typeof client.insight.audit>[0]) =>
      (await client.insight.audit(options)).entries.map(({ action }) => action);
    expect(await actions(of)).toEqual(['resume', 'pause']);
    expect(await actions({ ...of, action: 'pause' })).toEqual(['pause']);
    await expect(client.insight.audit({ cursor: 'x' })).rejects.toMatchObject({
      code: 'ROWLOCK_INVALID_INPUT',
    });
  });

  test.once('old entries are deleted, and others are not', async (stage) => {
    const { key } = stage;
    const fresh = await stage.createDatabase();
    const process = await fresh.process();
    stage.defer(() => endProcess(process));
    const { driver } = process;
    await driver.schema.migrate();
    const noted = { by: key, ...entry('pause', 'queue', 'mail') };
    await driver.audit.note(noted);
    expect(await driver.audit.prune(3_600_000)).toBe(0);
    expect(await driver.audit.prune(0)).toBe(1);
    expect(await fresh.reader.audit(key)).toEqual([]);
  });
});

const ANY = { by: null, action: null, scope: null, name: null, before: null } as const;
