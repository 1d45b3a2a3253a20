import { setTimeout as sleep } from 'node:timers/promises';
import { percentiles } from '../statistics.mjs';

/** How long to wait for the last jobs of what was offered. */
const REST_MS = 500;
/** How long one job may take while idle. */
const IDLE_LIMIT_MS = 2_500;
/** How late a call may be, in milliseconds, because of the timer that it waits for. What it is later, a system has kept the process busy. */
const TIMER_MS = 2;
/**
 * So that connections are open and code is compiled: while an engine compiles, it takes a core from what is measured for milliseconds
 * at a time, and most of it is over after some thousand jobs. A system that only looks now and then gains nothing by it.
 */
const WARM = { bursts: 5, jobs: 10, slowMs: 200, share: 0.5 };

/**
 * From the call of enqueue to the start of the handler: idle, one job at a time with a pause after each, and with so many
 * jobs offered a second whatever becomes of them.
 */
export async function latency(opened, { offered, forMs, pauseMs }) {
  const all = [];
  let onStart = () => {};
  await opened.start(
    (place) => {
      all[place].tookMs ??= performance.now() - all[place].at;
      onStart();
    },
    { listens: true },
  );
  const enqueue = (at = performance.now()) => {
    const job = { at, sent: undefined, tookMs: undefined };
    all.push(job);
    job.sent = opened.enqueue(all.length - 1);
    return job;
  };
  /** Resolves when these have started, or after a time. */
  const starts = async (jobs, limitMs) => {
    const isOpen = () => jobs.some(({ tookMs }) => tookMs === undefined);
    const limit = new AbortController();
    const started = new Promise((resolve) => {
      onStart = () => {
        if (!isOpen()) resolve();
      };
      onStart();
    });
    const sent = Promise.all(jobs.map((job) => job.sent));
    const over = sleep(limitMs, undefined, { signal: limit.signal }).catch(() => {});
    await Promise.race([Promise.all([sent, started]), over]);
    limit.abort();
    onStart = () => {};
  };

  const warmUntil = performance.now() + forMs * WARM.share;
  for (let burst = 0; burst < WARM.bursts || performance.now() < warmUntil; burst++) {
    const begin = performance.now();
    await starts(
      Array.from({ length: WARM.jobs }, () => enqueue()),
      REST_MS,
    );
    if (performance.now() - begin > WARM.slowMs) break;
  }
  const stages = {};
  const rates = ['idle', ...offered];
  for (const [place, rate] of rates.entries()) {
    const from = all.length;
    // As each has more jobs than the one before, it needs less time to have some.
    const stageMs = (forMs * 2 * (rates.length - place)) / (rates.length * (rates.length + 1));
    if (rate === 'idle') await oneAtATime(enqueue, starts, { stageMs, pauseMs });
    else await starts(await offer(enqueue, { rate, stageMs }), REST_MS);
    stages[rate] = summary(all.slice(from));
  }
  await opened.stop();
  return stages;
}

async function oneAtATime(enqueue, starts, { stageMs, pauseMs }) {
  const end = performance.now() + stageMs;
  do {
    await starts([enqueue()], IDLE_LIMIT_MS);
    await sleep(pauseMs);
  } while (performance.now() < end);
}

/** A call that is made late has waited, and that counts. */
async function offer(enqueue, { rate, stageMs }) {
  const begin = performance.now();
  const wanted = Math.max(1, Math.round((rate * stageMs) / 1000));
  const jobs = [];
  while (jobs.length < wanted) {
    const due = Math.min(wanted, Math.floor(((performance.now() - begin) * rate) / 1000) + 1);
    while (jobs.length < due) {
      const dueAt = begin + (jobs.length * 1000) / rate;
      jobs.push(enqueue(Math.min(performance.now(), dueAt + TIMER_MS)));
    }
    await sleep(1);
  }
  return jobs;
}

/** A job that did not start in time counts with the time that it has waited. */
function summary(jobs) {
  const late = jobs.filter(({ tookMs }) => tookMs === undefined);
  const times = jobs.map(({ at, tookMs }) => tookMs ?? performance.now() - at);
  return { ...percentiles(times), jobs: jobs.length, notStarted: late.length };
}
