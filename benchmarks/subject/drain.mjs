import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Works off what is enqueued, `jobs` jobs, and says how long that took: from the start of the first handler until an
 * independent look finds none that is not settled, or until the limit.
 */
export async function drain(opened, { jobs, limitMs }) {
  let runs = 0;
  let begin;
  let finish;
  const finished = new Promise((resolve) => (finish = resolve));
  const started = performance.now();
  const cpu = process.cpuUsage();
  await opened.start(() => {
    begin ??= performance.now();
    runs += 1;
    if (runs === jobs) finish();
  });
  // Of jobs that run in other processes, nobody here is told.
  if (!opened.isRemote) await Promise.race([finished, sleep(limitMs)]);

  let unsettled;
  do {
    unsettled = await opened.unsettled();
    if (unsettled < jobs) begin ??= performance.now();
    if (unsettled > 0) await sleep(opened.isRemote ? 10 : 3);
  } while (unsettled > 0 && performance.now() - started < limitMs);
  const ms = performance.now() - (begin ?? started);
  const { user, system } = process.cpuUsage(cpu);
  await opened.stop();
  const settled = jobs - unsettled;
  return { jobs: settled, ms, rate: settled / (ms / 1000), runs, cpuSeconds: (user + system) / 1e6 };
}
