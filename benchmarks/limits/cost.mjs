import { interleave } from '../interleave.mjs';
import { ratio, spread } from '../statistics.mjs';
import { perSecond, table, times } from '../table.mjs';

/** A round's time on an idle machine, besides its draining. */
const PACE = { overheadMs: 1_200, leastMs: 1_500, mostMs: 4_000 };
const LEAST_JOBS = 100;
/** So that the connections know their statements. */
const WARM_JOBS = 100;
/** Never reached. */
const LIMIT = 1_000;
const QUICK = { jobs: 50, limitMs: 60_000 };

/** Drains of jobs that declare a limit which is not reached, and of jobs without one, in turn. */
export async function cost(stage, database, budgetMs) {
  const { rounds, quick } = stage.options;
  const plain = stage.entries('limits: cost', database);
  const entries = plain.flatMap((entry) => [entry, limited(entry)]);
  const played = await interleave(`limits: cost on ${database}`, entries, rounds, {
    pace: { ...PACE, budgetMs },
    prepare: async (entry, forMs) =>
      quick ? null : (await drainOnce(stage, entry, { jobs: 500, limitMs: forMs * 4 })).rate,
    play: (entry, forMs, rate) =>
      drainOnce(stage, entry, quick ? QUICK : { jobs: jobsFor(rate, forMs), limitMs: forMs * 4 }),
  });
  const rows = plain.map((_, place) => row(played[2 * place], played[2 * place + 1]));
  const head = ['', '', 'without', 'with', 'least', 'most', 'with to without', ''];
  const cells = rows.map(({ system, setting, problem, without, with: own, ratio }) => {
    if (problem !== null) return [system, setting, '-', '-', '-', '-', '-', problem];
    const figures = [without.median, own.median, own.least, own.most].map(perSecond);
    return [system, setting, ...figures, times(ratio), ''];
  });
  const title = `Drain on ${database} of jobs with a limit that is not reached: jobs a second`;
  return { rows: { cost: rows }, text: `${title}\n${table(head, cells)}` };
}

function limited(entry) {
  const setting = { ...entry.setting, limit: LIMIT };
  return { ...entry, setting, title: `${entry.title}, with a limit` };
}

function jobsFor(rate, forMs) {
  return Math.max(LEAST_JOBS, Math.round((rate * forMs) / 1000));
}

function drainOnce(stage, entry, given) {
  return stage.play(entry, async ({ call, url }) => {
    if (!stage.options.quick) {
      await call('fill', { jobs: WARM_JOBS });
      await call('drain', { jobs: WARM_JOBS, limitMs: given.limitMs });
    }
    await call('fill', { jobs: given.jobs });
    await stage.servers.analyze(entry.system.database, url);
    return call('drain', given);
  });
}

function row(without, own) {
  const { system, setting } = without;
  const rates = ({ results }) => results.map(({ rate }) => rate);
  const problem = without.problem ?? own.problem;
  return {
    system: system.name,
    setting: setting.name,
    isPeer: system.isPeer === true,
    problem,
    ...(problem !== null
      ? {}
      : {
          without: spread(rates(without)),
          with: spread(rates(own)),
          ratio: ratio(rates(own), rates(without)),
        }),
  };
}
