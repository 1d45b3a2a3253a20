import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** After a call that failed, as all do while the server restarts. */
const PAUSE_MS = 200;

/**
 * Offers jobs until the signal, in calls of several. A call that fails is not repeated.
 *
 * @param offer Enqueues so many jobs
 * @param depth How many jobs wait
 */
export async function produce({ isFixed, isPacedByHarness, ...pace }, { offer, depth, signal }) {
  const attempt = async (jobs) => {
    if (jobs === 0) return;
    try {
      await offer(jobs);
    } catch (error) {
      console.error(`A call for ${jobs} jobs failed: ${error.message}`);
      await sleep(PAUSE_MS);
    }
  };
  if (isPacedByHarness) return followTokens(attempt, signal);
  // The harness writes its tokens all the same.
  process.stdin.resume();
  if (isFixed) return followClock(pace, attempt, signal);
  while (!signal.aborted) {
    await attempt(Math.max(0, Math.min(pace.batchMost, pace.depth - (await depth()))));
    await sleep(pace.batchMs);
  }
}

/** One call for each line `ENQUEUE n` on standard input. */
async function followTokens(attempt, signal) {
  for await (const line of createInterface({ input: process.stdin })) {
    if (signal.aborted) return;
    const [, jobs] = /^ENQUEUE (\d+)$/.exec(line) ?? [];
    if (jobs !== undefined) await attempt(Number(jobs));
  }
}

/** By the time that has really passed, however long a call takes. */
async function followClock(pace, attempt, signal) {
  let due = 0;
  let last = performance.now();
  while (!signal.aborted) {
    const now = performance.now();
    due += (rateNow(pace) * (now - last)) / 1000;
    last = now;
    const jobs = Math.min(Math.floor(due), pace.batchMost);
    due -= jobs;
    await attempt(jobs);
    if (due < pace.batchMost) await sleep(pace.batchMs);
  }
}

export function rateNow({ rate, rateFile }) {
  if (rateFile === undefined) return rate;
  try {
    const given = Number.parseFloat(readFileSync(rateFile, 'utf8'));
    return Number.isFinite(given) ? given : rate;
  } catch {
    // It is being written.
    return rate;
  }
}
