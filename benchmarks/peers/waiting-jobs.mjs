import { createPostgresBackend, Queue, Worker } from 'bullmq';
import { makeWorkerUtils, run } from 'graphile-worker';
import { PgBoss } from 'pg-boss';
import { Sidequest } from 'sidequest';
import { listener, Noop } from './sidequest-job.mjs';

// A hundred jobs of each peer, enqueued and run by the peer itself: plain, delayed, with a priority, failed once, and some that go on while the
// others are moved, or are done. Each says of what sort it is in its payload.

const LATER = new Date(Date.now() + 3_600_000);
const SORTS = { plain: 30, later: 20, first: 10, last: 10, failed: 20, running: 5, done: 5 };

/** @returns {{ n: number, sort: string }[]} */
const payloads = () =>
  Object.entries(SORTS)
    .flatMap(([sort, count]) => Array.from({ length: count }, () => sort))
    .map((sort, n) => ({ n, sort }));

/** What a peer's handler does. `begun` has those that go on until `letGo`. */
function handlers() {
  const { promise, resolve } = Promise.withResolvers();
  const begun = [];
  const handle = async ({ n, sort }) => {
    if (sort === 'failed') throw new Error('once');
    if (sort !== 'running') return;
    begun.push(n);
    await promise;
  };
  return { handle, begun, letGo: resolve };
}

export async function pgBoss(url) {
  const boss = new PgBoss({ connectionString: url });
  boss.on('error', () => {});
  await boss.start();
  const { handle, begun, letGo } = handlers();
  const settings = { retryLimit: 3, retryDelay: 3_600 };
  for (const sort of Object.keys(SORTS)) await boss.createQueue(sort, settings);
  const options = { later: { startAfter: LATER }, first: { priority: 10 }, last: { priority: -10 } };
  for (const data of payloads()) {
    const unique = data.sort === 'plain' ? { singletonKey: `unique ${data.n}` } : {};
    await boss.send(data.sort, data, { ...options[data.sort], ...unique });
  }
  for (const sort of ['failed', 'running', 'done']) {
    const polling = { pollingIntervalSeconds: 0.5, localConcurrency: 5 };
    await boss.work(sort, polling, ([job]) => handle(job.data));
  }
  return { begun, letGo, close: () => boss.stop() };
}

const quiet = Object.assign(() => {}, { scope: () => quiet });
for (const level of ['error', 'warn', 'info', 'debug']) quiet[level] = () => {};

export async function graphileWorker(url) {
  const utils = await makeWorkerUtils({ connectionString: url, logger: quiet });
  await utils.migrate();
  const { handle, begun, letGo } = handlers();
  const specs = {
    plain: ({ n }) => ({ queueName: `customer ${n % 3}`, jobKey: `unique ${n}` }),
    later: () => ({ runAt: LATER }),
    first: () => ({ priority: -10 }),
    last: () => ({ priority: 10 }),
  };
  for (const data of payloads())
    await utils.addJob(data.sort, data, { maxAttempts: 4, ...specs[data.sort]?.(data) });
  const serve = (...sorts) =>
    run({
      connectionString: url,
      logger: quiet,
      noHandleSignals: true,
      concurrency: 10,
      taskList: Object.fromEntries(sorts.map((sort) => [sort, handle])),
    });
  // It tries again after three seconds, by when nobody serves what has failed.
  const first = await serve('failed', 'done');
  await new Promise((resolve) => {
    let left = SORTS.failed + SORTS.done;
    first.events.on('job:complete', () => --left === 0 && resolve());
  });
  await first.stop();
  const second = await serve('running');
  return {
    begun,
    letGo,
    async close() {
      await second.stop();
      await utils.release();
    },
  };
}

/** With its queues on Postgres: the calls are those of Redis. */
export async function bullmq(url) {
  const connection = { connectionString: url, migrate: true };
  const queue = new Queue('moving', { connection }, createPostgresBackend);
  const { handle, begun, letGo } = handlers();
  const served = ({ sort }) => ['failed', 'running', 'done'].includes(sort);
  const options = { later: { delay: 3_600_000 }, first: { priority: 1 }, last: { priority: 20 } };
  const add = (data) =>
    queue.add(data.sort, data, {
      attempts: 4,
      backoff: { type: 'fixed', delay: 3_600_000 },
      ...options[data.sort],
    });
  const jobs = payloads();
  for (const data of jobs.filter(served)) await add(data);
  const work = (job) => handle(job.data);
  const worker = new Worker('moving', work, { connection, concurrency: jobs.length }, createPostgresBackend);
  worker.on('error', () => {});
  return {
    queue,
    begun,
    letGo,
    /** Its workers would take these too. */
    async addOthers() {
      await queue.pause();
      for (const data of jobs.filter((data) => !served(data))) await add(data);
    },
    async close() {
      await worker.close();
      await queue.close();
    },
  };
}

export async function sidequest(database, url) {
  const config = {
    backend: { driver: `@sidequest/${database}-backend`, config: url },
    logger: { level: 'error' },
    gracefulShutdown: false,
    dashboard: { enabled: false },
    fork: false,
    runner: 'inline',
    jobPollingInterval: 50,
  };
  await Sidequest.configure(config);
  await Sidequest.queue.create({ name: 'left', state: 'paused', concurrency: 1, priority: 0 });
  const { handle, begun, letGo } = handlers();
  listener.onRun = handle;
  const builders = {
    later: (builder) => builder.availableAt(LATER),
    failed: (builder) => builder.queue('served').retryDelay(3_600_000).backoffStrategy('fixed'),
    running: (builder) => builder.queue('served'),
    done: (builder) => builder.queue('served'),
  };
  for (const data of payloads()) {
    const builder = Sidequest.build(Noop).queue('left').maxAttempts(4);
    await (builders[data.sort]?.(builder) ?? builder).enqueue(data);
  }
  await Sidequest.start({ ...config, queues: [{ name: 'served', concurrency: 20 }] });
  return { begun, letGo, close: () => Sidequest.stop() };
}
