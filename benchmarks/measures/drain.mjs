import { interleave } from '../interleave.mjs';
import { COSTS, withCosts } from '../job-costs.mjs';
import { evaluate } from '../report.mjs';
import { costTable, metricTable, perSecond } from '../table.mjs';

/** A round's time on an idle machine, besides its draining: an empty database, its tables, its jobs. */
const PACE = { overheadMs: 900, leastMs: 200, mostMs: 4_000 };
const LEAST_JOBS = 20;
/** For the quick form, on however busy a machine. */
const QUICK = { jobs: 50, limitMs: 60_000 };

/** No-op jobs that are enqueued already, until all of them are settled. */
export async function drain(stage, database) {
  const { rounds, quick } = stage.options;
  const played = await interleave(`drain on ${database}`, stage.entries('drain', database), rounds, {
    pace: { ...PACE, budgetMs: stage.budgetMs('drain', database) },
    prepare: (entry, forMs) => (quick ? null : rateOf(stage, entry, forMs)),
    play: (entry, forMs, rate) =>
      drainOnce(stage, entry, quick ? QUICK : { jobs: jobsFor(rate, forMs), limitMs: forMs * 2 }),
  });
  const rows = evaluate(played, { rate: ({ rate }) => rate, ...COSTS });
  const text = [
    `Drain on ${database}: jobs a second\n${metricTable(rows, 'rate', perSecond)}`,
    `Drain on ${database}: microseconds of a core a job\n${costTable(rows)}`,
  ];
  return { rows, text: text.join('\n\n') };
}

function jobsFor(rate, forMs) {
  return Math.max(LEAST_JOBS, Math.round((rate * forMs) / 1000));
}

/** What it does with a few jobs, and then with more. */
async function rateOf(stage, entry, forMs) {
  const few = await drainOnce(stage, entry, { jobs: 500, limitMs: forMs });
  const { rate } = await drainOnce(stage, entry, { jobs: jobsFor(few.rate, forMs / 2), limitMs: forMs });
  return Math.max(few.rate, rate);
}

function drainOnce(stage, entry, { jobs, limitMs }) {
  return stage.play(entry, async ({ call, url }) => {
    await call('fill', { jobs });
    await stage.servers.analyze(entry.system.database, url);
    return withCosts(stage, entry.system.database, () => call('drain', { jobs, limitMs }));
  });
}
