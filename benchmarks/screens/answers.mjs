import { createDashboard } from '@rowlock/dashboard';
import { progress } from '../progress.mjs';
import { percentiles } from '../statistics.mjs';
import { milliseconds, table } from '../table.mjs';
import { ENTRIES } from './history.mjs';
import { pathsOf } from './paths.mjs';

/** How often each path is called. */
const CALLS = 20;
const HOUR_MS = 3_600_000;

/** The time of each look, from the request to the end of its answer, and what the server's processor spends on it. */
export async function answers(stage, { database, watched, beside }) {
  const paths = pathsOf({
    job: await watched.waiting(),
    settledFrom: new Date(Date.now() - HOUR_MS).toISOString(),
    cursor: ENTRIES / 2,
  });
  const rows = [];
  for (const { title, path } of paths) {
    progress(`screens on ${database}: ${title}`);
    // The first one warms up.
    await look(watched.rowlock, path);
    const before = await stage.serverCpuSeconds(database);
    const times = [];
    while (times.length < (stage.options.quick ? 1 : CALLS)) times.push(await look(watched.rowlock, path));
    const serverMs = (((await stage.serverCpuSeconds(database)) - before) * 1000) / times.length;
    rows.push({ title, path, ...percentiles(times), serverMs });
  }
  const cells = rows.map(({ title, p50, p95, serverMs }) => [
    title,
    '',
    ...[p50, p95].map(milliseconds),
    Number.isNaN(serverMs) ? '-' : milliseconds(serverMs),
    '',
  ]);
  const title = `Looks of the dashboard on ${database} ${beside}: milliseconds`;
  return { rows: { answers: rows }, text: `${title}\n${table(['', '', 'p50', 'p95', 'server', ''], cells)}` };
}

/** In a dashboard of its own, as viewers of one share their looks. */
async function look(rowlock, path) {
  const dashboard = createDashboard({ rowlock, access: () => 'read-only' });
  const begin = performance.now();
  await answerTo(dashboard, path);
  return performance.now() - begin;
}

/** @throws Error for a request that fails */
export async function answerTo(dashboard, path) {
  const response = await dashboard.fetch(new Request(`http://dashboard.example/api/${path}`));
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
}
