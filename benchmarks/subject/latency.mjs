import { setTimeout as sleep } from 'node:timers/promises';
import { percentiles } from '../statistics.mjs';

/** How long to wait for the last jobs of what was offered. */
const REST_MS = 1_500;

/**
 * From the call of enqueue to the start of the handler: idle, one job at a time with a pause after each, and with so many
 * jobs offered a second whatever becomes of them.
 */
export async function latency(opened, { offered, stageMs, pauseMs, warm }) {
  const begun = [];
  let started = () => {};
  await opened.start(
    (place) => {
      begun[place].tookMs ??= performance.now() - begun[place].at;
      started();
    },
    { listens: true },
  );
  const enqueue = () => {
    const job = { at: performance.now() };
    begun.push(job);
    return opened.enqueue(begun.length - 1);
  };
  const pickup = async (limitMs) => {
    const start = new Promise((resolve) => (started = resolve));
    await Promise.all([enqueue(), Promise.race([start, sleep(limitMs)])]);
  };

  // With some at once, so that connections are open.
  for (let burst = 0; burst < warm; burst += 10)
    await Promise.all(Array.from({ length: 10 }, () => pickup(stageMs)));
  const stages = { idle: await idle(pickup, begun, { stageMs, pauseMs }) };
  started = () => {};
  for (const rate of offered) stages[rate] = await load(enqueue, begun, { rate, stageMs });
  await opened.stop();
  return stages;
}

async function idle(pickup, begun, { stageMs, pauseMs }) {
  const from = begun.length;
  const end = performance.now() + stageMs;
  do {
    await pickup(5_000);
    await sleep(pauseMs);
  } while (performance.now() < end);
  return summary(begun.slice(from));
}

async function load(enqueue, begun, { rate, stageMs }) {
  const from = begun.length;
  const start = performance.now();
  const wanted = Math.round((rate * stageMs) / 1000);
  const sent = [];
  while (sent.length < wanted) {
    const due = Math.min(wanted, Math.floor(((performance.now() - start) * rate) / 1000) + 1);
    while (sent.length < due) sent.push(enqueue());
    await sleep(1);
  }
  await Promise.race([Promise.all(sent), sleep(REST_MS)]);
  const jobs = begun.slice(from);
  const end = performance.now() + REST_MS;
  while (jobs.some(({ tookMs }) => tookMs === undefined) && performance.now() < end) await sleep(5);
  return summary(jobs);
}

/** A job that did not start in time counts with the time that it has waited. */
function summary(jobs) {
  const late = jobs.filter(({ tookMs }) => tookMs === undefined);
  const times = jobs.map(({ at, tookMs }) => tookMs ?? performance.now() - at);
  return { ...percentiles(times), jobs: jobs.length, notStarted: late.length };
}
