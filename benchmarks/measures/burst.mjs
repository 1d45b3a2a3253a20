import { interleave } from '../interleave.mjs';
import { COSTS, withCosts } from '../job-costs.mjs';
import { evaluate } from '../report.mjs';
import { costTable, metricTable, milliseconds } from '../table.mjs';

const JOBS = [500, 2_000];
const QUICK_JOBS = [50];
/** However busy the machine is. */
const LIMIT_MS = 60_000;
/** A round's time besides its burst: an empty database, its tables, two processes. How long the burst takes is not chosen. */
const PACE = { overheadMs: 1_500, leastMs: 200, mostMs: 4_000 };

const METRICS = { ms: ({ ms }) => ms, firstMs: ({ firstMs }) => firstMs, ...COSTS };

/** No-op jobs that wait when a worker's process starts: from the call of its start until all of them are settled. */
export async function burst(stage, database) {
  const { rounds, quick } = stage.options;
  const sizes = quick ? QUICK_JOBS : JOBS;
  const entries = sizes.flatMap((jobs) =>
    stage
      .entries('burst', database)
      .map((entry) => ({ ...entry, title: `${entry.title}, ${jobs} jobs`, jobs })),
  );
  const played = await interleave(`burst on ${database}`, entries, rounds, {
    pace: { ...PACE, budgetMs: stage.budgetMs('burst', database) },
    prepare: (entry) => (quick ? null : burstOnce(stage, entry)),
    play: (entry) => burstOnce(stage, entry),
  });
  const of = (size) =>
    evaluate(
      played.filter(({ jobs }) => jobs === size),
      METRICS,
    );
  const rows = Object.fromEntries(sizes.map((jobs) => [`${jobs} jobs`, of(jobs)]));
  const text = Object.entries(rows).flatMap(([title, each]) => [
    `Burst on ${database}, ${title}: ms from the start of a new process's worker\n${metricTable(each, 'ms', milliseconds)}`,
    `Burst on ${database}, ${title}: microseconds of a core a job\n${costTable(each)}`,
  ]);
  return { rows, text: text.join('\n\n') };
}

function burstOnce(stage, entry) {
  const { jobs, system, setting } = entry;
  // The process that starts finds its tables, and does not look after them.
  const starting = { system, setting: { ...setting, hasTables: true } };
  return stage.withDatabase(system.database, async (url) => {
    await stage.playIn(entry, url, ({ call }) => call('fill', { jobs }));
    await stage.servers.analyze(system.database, url);
    const result = await stage.playFresh(starting, url, ({ call }) =>
      withCosts(stage, system.database, () => call('drain', { jobs, limitMs: LIMIT_MS, fromCall: true })),
    );
    if (result.jobs < jobs)
      throw new Error(`${result.jobs} of ${jobs} jobs were settled within ${LIMIT_MS / 1000} s.`);
    return result;
  });
}
