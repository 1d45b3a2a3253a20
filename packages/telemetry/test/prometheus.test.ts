import { randomUUID } from 'node:crypto';
import { complete, fail, retry, snooze } from '@rowlock/core';
import { defineHandler } from '@rowlock/driver-memory';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { prometheus } from '../src/index.js';
import { METRICS } from '../src/metrics/catalogue.js';
import { prometheusName } from '../src/prometheus/name.js';
import { settled, stage } from './stage.js';

const payload = z.object({});
const of = '{queue="default",kind="work"}';

/** The values of a text by the names and labels of the samples. */
function samples(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, name = '', value] = /^(.+) (\S+)$/.exec(line) ?? [];
      return [name, Number(value)];
    }),
  );
}

/** The calls of an empty database, without its workers. */
const nothing = {
  jobs: { pauses: async () => [] },
  limits: { list: async () => [] },
  schedules: { list: async () => [] },
};

/** What is known of an empty database whose workers are looked for like this. */
const insightOf = (workers: () => Promise<[]>) => ({ workers, stats: async () => ({ lanes: [] }) });

/** Resolves when `isTrue` does, looked at again after each turn of the event loop. */
async function eventually(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setImmediate(resolve));
}

test('every metric has its help and its type, also before the first job', async () => {
  const text = await prometheus().text();
  for (const metric of METRICS) {
    const name = prometheusName(metric);
    expect(text).toContain(`# HELP ${name} ${metric.help}\n# TYPE ${name} ${metric.type}\n`);
  }
  expect(text).toMatch(/\n$/);
});

test('jobs are counted as they are enqueued, and as their runs end', async () => {
  const results = [complete(), fail('no'), retry('busy', { delay: '1h' }), snooze('1h')];
  const Work = defineHandler({ kind: 'work', payload, run: () => results.shift() });
  const metrics = prometheus();
  const { rowlock, worker } = await stage([metrics], [Work]);
  await rowlock.enqueueMany(
    Work,
    [1, 2, 3].map(() => ({ payload: {} })),
  );
  for (const _ of [1, 2]) await rowlock.enqueue(Work, { payload: {}, unique: 'once' });
  const done = settled(worker, 4);
  await worker.start();
  await done;
  const found = samples(await metrics.text());
  const counts = (name: string, outcome: string) =>
    found.get(`${name}{queue="default",kind="work",outcome="${outcome}"}`);
  expect(counts('rowlock_jobs_enqueued_total', 'enqueued')).toBe(4);
  expect(counts('rowlock_jobs_enqueued_total', 'duplicate')).toBe(1);
  for (const outcome of ['complete', 'fail', 'retry', 'snooze'])
    expect(counts('rowlock_jobs_settled_total', outcome)).toBe(1);
});

test('schedules that skip ticks, and those that cannot be fired, have gauges', async () => {
  const Work = defineHandler({ kind: 'work', payload, run: () => {} });
  const metrics = prometheus();
  const { rowlock } = await stage([metrics], [Work]);
  for (const name of ['broken', 'right', 'skips'])
    await rowlock.schedules.set(name, { handler: Work, payload: {}, every: '1h' });
  const skipped = { count: 7, lastTick: new Date(), job: 'a job' };
  const list = async () =>
    (await rowlock.schedules.list()).map((schedule) => ({
      ...schedule,
      ...(schedule.name === 'skips' && { skipped }),
      ...(schedule.name === 'broken' && { broken: { since: null, error: 'Not welcome.' } }),
    }));
  metrics.watch({ ...nothing, insight: insightOf(async () => []), schedules: { list } });
  const found = [...samples(await metrics.text())].filter(([name]) => name.startsWith('rowlock_schedule'));
  expect(found).toEqual([
    ['rowlock_schedule_skipped{schedule="skips"}', 7],
    ['rowlock_schedule_broken{schedule="broken"}', 1],
  ]);
});

test('schedules are read less often than the rest: all of them are', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const [schedules, workers] = [vi.fn(async () => []), vi.fn(async (): Promise<[]> => [])];
  const metrics = prometheus();
  metrics.watch({ ...nothing, insight: insightOf(workers), schedules: { list: schedules } });
  for (let seconds = 0; seconds < 60; seconds += 6) {
    await metrics.text();
    vi.advanceTimersByTime(6_000);
  }
  expect(workers).toHaveBeenCalledTimes(10);
  expect(schedules).toHaveBeenCalledTimes(2);
});

test('a call that is refused counts nothing', async () => {
  const Work = defineHandler({ kind: 'work', payload, run: () => {} });
  const metrics = prometheus();
  const { driver, rowlock } = await stage([metrics], [Work]);
  driver.jobs.enqueue = () => Promise.reject(new Error('away'));
  await expect(rowlock.enqueue(Work, { payload: {} })).rejects.toThrow('away');
  expect(await metrics.text()).not.toContain('rowlock_jobs_enqueued_total{');
});

test('waiting is from the time at which a job was due', async () => {
  const Work = defineHandler({ kind: 'work', payload, run: () => {} });
  const metrics = prometheus();
  const { rowlock, worker } = await stage([metrics], [Work]);
  await rowlock.enqueue(Work, { payload: {}, runAt: new Date(Date.now() - 120_000) });
  const done = settled(worker);
  await worker.start();
  await done;
  const found = samples(await metrics.text());
  const bucket = (le: string) =>
    found.get(`rowlock_job_waiting_seconds_bucket{queue="default",kind="work",le="${le}"}`);
  expect([bucket('60'), bucket('600'), bucket('+Inf')]).toEqual([0, 1, 1]);
  expect(found.get(`rowlock_job_waiting_seconds_count${of}`)).toBe(1);
  expect(found.get(`rowlock_job_waiting_seconds_sum${of}`)).toBeGreaterThanOrEqual(119.9);
  expect(found.get(`rowlock_run_duration_seconds_count${of}`)).toBe(1);
});

test('the gauges of the process follow its runs, and go back to 0', async () => {
  let end = (): void => {};
  let began = (): void => {};
  const running = new Promise<void>((resolve) => {
    began = resolve;
  });
  const Work = defineHandler({
    kind: 'work',
    payload,
    run: () =>
      new Promise<void>((resolve) => {
        end = resolve;
        began();
      }),
  });
  const metrics = prometheus();
  const { rowlock, worker } = await stage([metrics], [Work]);
  await rowlock.enqueue(Work, { payload: {} });
  const done = settled(worker);
  await worker.start();
  await running;
  const during = samples(await metrics.text());
  expect(during.get(`rowlock_runs_active${of}`)).toBe(1);
  expect(during.get(`rowlock_run_oldest_seconds${of}`)).toBeGreaterThan(0);
  expect(during.get('rowlock_worker_concurrency')).toBe(5);
  end();
  await done;
  const after = samples(await metrics.text());
  expect(after.get(`rowlock_runs_active${of}`)).toBe(0);
  expect(after.get(`rowlock_run_oldest_seconds${of}`)).toBe(0);
  await worker.stop();
  expect(samples(await metrics.text()).get('rowlock_worker_concurrency')).toBe(0);
});

test('a handler that ignores its signal is counted until its code ends', async () => {
  let end = (): void => {};
  const Work = defineHandler({
    kind: 'work',
    payload,
    attempts: 1,
    timeout: 1,
    run: () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  });
  const metrics = prometheus();
  const { rowlock, worker } = await stage([metrics], [Work]);
  await rowlock.enqueue(Work, { payload: {} });
  const done = settled(worker);
  await worker.start();
  await done;
  const left = async () => samples(await metrics.text()).get(`rowlock_runs_left_behind${of}`);
  expect(await left()).toBe(1);
  expect(samples(await metrics.text()).get(`rowlock_runs_active${of}`)).toBe(0);
  end();
  await eventually(async () => (await left()) === 0);
});

test('claims that are lost, and looks that fail, are counted', async () => {
  let began = (): void => {};
  const running = new Promise<void>((resolve) => {
    began = resolve;
  });
  let runs = 0;
  const Work = defineHandler({
    kind: 'work',
    payload,
    run: ({ signal }) => {
      runs += 1;
      if (runs > 1) return;
      began();
      return new Promise<void>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  });
  const metrics = prometheus();
  const { driver, rowlock, worker } = await stage([metrics], [Work]);
  await rowlock.enqueue(Work, { payload: {} });
  const done = settled(worker);
  await worker.start();
  await running;
  const fault = new Promise<void>((resolve) => worker.on('fault', () => resolve()));
  driver.claims.survey = () => Promise.reject(new Error('away'));
  driver.disconnect();
  await done;
  await fault;
  const found = samples(await metrics.text());
  expect(found.get(`rowlock_runs_lost_total${of}`)).toBe(1);
  expect(found.get('rowlock_worker_faults_total')).toBeGreaterThanOrEqual(1);
});

test("the database's gauges show the workers that are alive, by queue, and the pauses", async () => {
  const Mail = defineHandler({ kind: 'mail', queue: 'mail', payload, run: () => {} });
  const Report = defineHandler({ kind: 'report', queue: 'reports', payload, run: () => {} });
  const metrics = prometheus();
  const { rowlock } = await stage([metrics], [Mail, Report]);
  const both = rowlock.worker();
  const one = rowlock.worker({ queues: ['mail'] });
  await both.start();
  await one.start();
  await both.stop();
  await rowlock.jobs.pause({ queue: 'reports' });
  await rowlock.jobs.pause('all');
  metrics.watch(rowlock);
  const found = samples(await metrics.text());
  expect(found.get('rowlock_database_up')).toBe(1);
  expect(found.get('rowlock_workers_alive{queue="mail"}')).toBe(1);
  expect(found.get('rowlock_workers_alive{queue="reports"}')).toBe(0);
  expect(found.get('rowlock_pauses{scope="queue",name="reports"}')).toBe(1);
  expect(found.get('rowlock_pauses{scope="all",name=""}')).toBe(1);
});

test('scrapes at the same time look at the database once', async () => {
  const metrics = prometheus();
  let looks = 0;
  metrics.watch({
    ...nothing,
    insight: insightOf(async () => {
      looks += 1;
      return [];
    }),
  });
  await Promise.all([1, 2, 3].map(() => metrics.text()));
  expect(looks).toBe(1);
});

test.each([
  ['refuses', () => Promise.reject(new Error('away'))],
  [
    'throws',
    () => {
      throw new Error('closed');
    },
  ],
])('a database that %s is not up, and the scrape has the rest', async (_, workers) => {
  const metrics = prometheus();
  metrics.watch({ ...nothing, insight: insightOf(workers) });
  const found = samples(await metrics.text());
  expect(found.get('rowlock_database_up')).toBe(0);
  expect(found.get('rowlock_worker_concurrency')).toBe(0);
});

test('queues, kinds and pauses of every tenant have no series each: those that are late the longest have', async () => {
  const window = { seconds: 60, settled: 0, completed: 0, failed: 0, cancelled: 0, retried: 0 };
  const times = { ...window, waitedMs: null, tookMs: null };
  const one = { count: 1, more: false };
  const lane = { due: one, delayed: one, waiting: one, paused: 0, running: 0, served: true };
  const tenants = Array.from({ length: 2_000 }, (_, n) => `tenant ${n}`);
  const lanes = tenants.map((queue, n) => ({
    ...{ ...lane, queue, kind: 'work', minute: times, hour: times },
    oldestDueMs: n === 0 ? null : n * 1_000,
  }));
  const pause = { scope: 'limit', until: null, reason: null, by: 'ada' } as const;
  const pauses = tenants.map((name, n) => ({ ...pause, name, pausedAt: new Date(n) }));
  const metrics = prometheus();
  const insight = { workers: async () => [], stats: async () => ({ lanes }) };
  metrics.watch({ ...nothing, jobs: { pauses: async () => pauses }, insight });
  const found = samples(await metrics.text());
  const named = (name: string) => [...found.keys()].filter((each) => each.startsWith(`${name}{`));
  expect(found.get('rowlock_job_oldest_due_seconds{queue="tenant 1999",kind="work"}')).toBe(1_999);
  expect(named('rowlock_job_oldest_due_seconds')).toHaveLength(500);
  expect(named('rowlock_workers_alive')).toHaveLength(500);
  expect(found.get('rowlock_pauses{scope="limit",name="tenant 1999"}')).toBe(1);
  expect(named('rowlock_pauses')).toHaveLength(100);
});

test('jobs that wait are counted, with the age of the oldest and whether nobody takes them', async () => {
  const window = { seconds: 60, settled: 0, completed: 0, failed: 0, cancelled: 0, retried: 0 };
  const times = { ...window, waitedMs: null, tookMs: null };
  const one = { count: 1, more: false };
  const lane = { queue: 'default', kind: 'work', due: one, delayed: one, waiting: { count: 2, more: false } };
  const state = { paused: 0, running: 0, oldestDueMs: 60_000, served: false, minute: times, hour: times };
  const metrics = prometheus();
  const insight = { workers: async () => [], stats: async () => ({ lanes: [{ ...lane, ...state }] }) };
  metrics.watch({ ...nothing, insight });
  const found = samples(await metrics.text());
  expect(found.get(`rowlock_jobs_waiting${of}`)).toBe(2);
  expect(found.get(`rowlock_job_oldest_due_seconds${of}`)).toBe(60);
  expect(found.get(`rowlock_jobs_unserved${of}`)).toBe(1);
});

test('the slots of limits that are taken are shown, the next start, and the jobs that wait', async () => {
  const mail = { name: 'mail', max: 3 };
  const maps = { name: 'maps', starts: 1, per: '1h' } as const;
  const Work = defineHandler({ kind: 'work', payload, limit: [mail, maps], run: () => {} });
  const metrics = prometheus();
  const { driver, rowlock } = await stage([metrics], [Work]);
  await rowlock.enqueueMany(
    Work,
    [1, 2].map(() => ({ payload: {} })),
  );
  await using slot = await rowlock.limits.slots('mail', { max: 3 }).acquire();
  await driver.admission.take([{ name: 'maps', starts: 1, perMs: 3_600_000, burst: 1 }], randomUUID());
  metrics.watch(rowlock);
  const found = samples(await metrics.text());
  expect(slot.outcome).toBe('acquired');
  expect(found.get('rowlock_limit_max{limit="mail"}')).toBe(3);
  expect(found.get('rowlock_limit_taken{limit="mail"}')).toBe(1);
  expect(found.get('rowlock_limit_waiting{limit="mail"}')).toBe(2);
  expect(found.get('rowlock_limit_waiting{limit="maps"}')).toBe(2);
  expect(found.get('rowlock_limit_next_start_seconds{limit="maps"}')).toBeGreaterThan(3_500);
});

test('a program that may not look at slots has the other gauges', async () => {
  const metrics = prometheus();
  const limits = { list: () => Promise.reject(new Error('denied')) };
  metrics.watch({ ...nothing, insight: insightOf(async () => []), limits });
  expect(samples(await metrics.text()).get('rowlock_database_up')).toBe(1);
});

test('names of labels are escaped', async () => {
  const kind = 'a "kind" \\ of\nlines';
  const Work = defineHandler({ kind, payload, run: () => {} });
  const metrics = prometheus();
  const { rowlock } = await stage([metrics], [Work]);
  await rowlock.enqueue(Work, { payload: {} });
  expect(await metrics.text()).toContain('kind="a \\"kind\\" \\\\ of\\nlines",outcome="enqueued"} 1\n');
});

test('a request gets the text, and only by GET or HEAD', async () => {
  const metrics = prometheus();
  const answer = await metrics.fetch(new Request('http://localhost/metrics'));
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(await answer.text()).toContain('# TYPE rowlock_jobs_settled_total counter\n');
  const refused = await metrics.fetch(new Request('http://localhost/metrics', { method: 'POST' }));
  expect(refused.status).toBe(405);
});

test('a database that is slow keeps its gauges, is slow and not down, and is down after half a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const metrics = prometheus();
  const worker = { alive: true, queues: ['mail'] };
  const { promise: never } = Promise.withResolvers<never>();
  let answers: Promise<readonly object[]> = Promise.resolve([worker]);
  metrics.watch({ ...nothing, insight: insightOf(() => Object(answers)) });
  const look = async () => {
    const text = metrics.text();
    await vi.advanceTimersByTimeAsync(6_000);
    return samples(await text);
  };
  expect((await look()).get('rowlock_workers_alive{queue="mail"}')).toBe(1);
  answers = never;
  const slow = await look();
  expect(slow.get('rowlock_database_up')).toBe(1);
  expect(slow.get('rowlock_database_slow')).toBe(1);
  expect(slow.get('rowlock_workers_alive{queue="mail"}')).toBe(1);
});

test('a queue whose workers are forgotten has none, and its series stays', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const metrics = prometheus();
  let workers: readonly object[] = [{ alive: true, queues: ['mail'] }];
  metrics.watch({ ...nothing, insight: insightOf(async () => Object(workers)) });
  await metrics.text();
  workers = [];
  vi.advanceTimersByTime(6_000);
  expect(samples(await metrics.text()).get('rowlock_workers_alive{queue="mail"}')).toBe(0);
});
