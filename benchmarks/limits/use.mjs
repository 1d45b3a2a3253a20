import { setTimeout as sleep } from 'node:timers/promises';
import { interleave } from '../interleave.mjs';
import { opening } from '../stage.mjs';
import { spread } from '../statistics.mjs';
import { table } from '../table.mjs';

/** A round's time besides what is measured. */
const PACE = { overheadMs: 2_500, leastMs: 1_000, mostMs: 8_000 };
const PROCESSES = 4;
/** How long the handler takes. */
const WORK_MS = 50;
const LEAST_JOBS = 12;
const LOOK_MS = 50;
const LIMIT_MS = 60_000;

/** How much of a reached limit its jobs use: workers in four processes have far more slots than the limit lets in. */
export async function use(stage, database, budgetMs) {
  const { rounds, quick } = stage.options;
  const entries = stage.entries('limits: use', database).flatMap((entry) => {
    const { problem, setting } = entry;
    if (setting.limit === undefined) return [entry];
    const free = { ...entry, title: `${entry.title}, beside free jobs`, isBesideFree: true };
    return [entry, { ...free, problem: problem ?? setting.cannotBeside ?? null }];
  });
  const played = await interleave(`limits: use on ${database}`, entries, rounds, {
    pace: { ...PACE, budgetMs },
    prepare: (entry) => (quick ? null : useOnce(stage, entry, LEAST_JOBS)),
    play: (entry, forMs) => useOnce(stage, entry, quick ? LEAST_JOBS : jobsFor(entry, forMs)),
  });
  const rows = played.map(row);
  const head = ['', '', 'other jobs', 'used', 'least', 'most', 'at once', 'limit', ''];
  const cells = rows.map(({ system, setting, isBesideFree, problem, used, atOnce, limit }) => {
    const figures = used ? [used.median, used.least, used.most].map(percent) : ['-', '-', '-'];
    const others = isBesideFree ? 'as many' : 'none';
    return [system, setting, others, ...figures, atOnce ?? '-', limit, problem ?? ''];
  });
  const title = `Use of a limit on ${database}: ${PROCESSES} processes of 5 slots, handlers of ${WORK_MS} ms`;
  return { rows: { use: rows }, text: `${title}\n${table(head, cells)}` };
}

function jobsFor({ setting }, forMs) {
  return Math.max(LEAST_JOBS, limitOf(setting) * Math.floor(forMs / WORK_MS));
}

/** Without a limit there are as many at once as there are slots. */
function limitOf({ limit, concurrency }) {
  return limit ?? concurrency;
}

function useOnce(stage, { system, setting, isBesideFree = false }, jobs) {
  const { processes = PROCESSES } = setting;
  const limit = limitOf(setting);
  return stage.play({ system, setting }, async ({ call, url }) => {
    await call('fill', { jobs });
    if (isBesideFree) await call('fill', { jobs, isFree: true });
    await stage.servers.analyze(system.database, url);
    const crew = await stage.crew(system, processes);
    await Promise.all(
      crew.map((each) => each.call('open', opening(system, { ...setting, hasTables: true }, url))),
    );
    try {
      await Promise.all(crew.map((each) => each.call('work', { workMs: WORK_MS })));
      const until = performance.now() + LIMIT_MS;
      while ((await call('unsettled')) > 0) {
        if (performance.now() > until)
          throw new Error(`Not all jobs were settled within ${LIMIT_MS / 1000} s.`);
        await sleep(LOOK_MS);
      }
      const marks = (await Promise.all(crew.map((each) => each.call('marks')))).flat();
      if (marks.length !== jobs)
        throw new Error(`${jobs} jobs with a limit were enqueued, and ${marks.length} ran.`);
      const atOnce = mostAtOnce(marks);
      if (atOnce > limit && !system.isPeer) throw new Error(`${atOnce} jobs ran at once.`);
      const ms = (await call('limitedMs')) ?? spanOf(marks);
      return { used: (jobs * WORK_MS) / (limit * ms), atOnce };
    } finally {
      await Promise.all(crew.map((each) => each.call('close').catch(() => {})));
    }
  });
}

function spanOf(marks) {
  return Math.max(...marks.map(([, end]) => end)) - Math.min(...marks.map(([begin]) => begin));
}

/** How many handlers were certainly at work at one moment. */
function mostAtOnce(marks) {
  const changes = marks.flatMap(([begin, end]) => [
    [begin, 1],
    [end, -1],
  ]);
  changes.sort(([a, up], [b, down]) => a - b || up - down);
  let now = 0;
  return changes.reduce((most, [, change]) => {
    now += change;
    return Math.max(most, now);
  }, 0);
}

function row({ system, setting, isBesideFree = false, problem, results }) {
  return {
    ...{ system: system.name, setting: setting.name, limit: limitOf(setting), isBesideFree, problem },
    isPeer: system.isPeer === true,
    ...(results.length === 0
      ? {}
      : {
          used: spread(results.map(({ used }) => used)),
          atOnce: Math.max(...results.map(({ atOnce }) => atOnce)),
        }),
  };
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
