import { setTimeout as sleep } from 'node:timers/promises';

/** How long the first job may keep us waiting, in milliseconds: a system may start processes of its own. */
const START_MS = 20_000;

/**
 * Works off what is enqueued, `jobs` jobs, and says how long that took: from the start of the first handler until an
 * independent look finds none that is not settled, or until the limit.
 *
 * @param all Whether it fails unless all are settled within the limit
 */
export async function drain(opened, { jobs, limitMs, all = false }) {
  let runs = 0;
  let first;
  let tellBegun;
  let tellDone;
  const begun = new Promise((resolve) => (tellBegun = resolve));
  const done = new Promise((resolve) => (tellDone = resolve));
  const cpu = process.cpuUsage();
  const called = performance.now();
  await opened.start(() => {
    if (runs === 0) {
      first = performance.now();
      tellBegun();
    }
    runs += 1;
    if (runs === jobs) tellDone();
  });
  if (opened.isRemote) first = await firstSettled(opened, jobs);
  else {
    await within(START_MS, begun);
    await within(limitMs, done);
  }
  if (first === undefined) throw new Error(`No job was begun within ${START_MS / 1000} s.`);

  let unsettled = await opened.unsettled();
  while (unsettled > 0 && performance.now() - first < limitMs) {
    await sleep(opened.isRemote ? 10 : 3);
    unsettled = await opened.unsettled();
  }
  const end = performance.now();
  const { user, system } = process.cpuUsage(cpu);
  await opened.stop();
  const settled = jobs - unsettled;
  if (all && unsettled > 0)
    throw new Error(`${settled} of ${jobs} jobs were settled within ${limitMs / 1000} s.`);
  if (!opened.isRemote && runs < settled)
    throw new Error(`${settled} jobs are settled, and ${runs} were run.`);
  return {
    jobs: settled,
    ms: end - first,
    fromCallMs: end - called,
    firstMs: first - called,
    rate: settled / ((end - first) / 1000),
    runs,
    // The processes that run such jobs are not counted.
    ...(opened.isRemote ? {} : { cpuSeconds: (user + system) / 1e6 }),
  };
}

/** Of jobs that run in other processes nobody here is told. */
async function firstSettled(opened, jobs) {
  const end = performance.now() + START_MS;
  while (performance.now() < end) {
    if ((await opened.unsettled()) < jobs) return performance.now();
    await sleep(5);
  }
}

/** Waits for it, but no longer. */
async function within(ms, promise) {
  const timer = new AbortController();
  await Promise.race([promise, sleep(ms, undefined, { signal: timer.signal }).catch(() => {})]);
  timer.abort();
}
