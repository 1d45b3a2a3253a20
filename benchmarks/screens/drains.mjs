import { drainRates } from '../drain-rates.mjs';
import { interleave } from '../interleave.mjs';
import { openViewers } from './viewers.mjs';

/** A round is long enough for each page to look twice. */
const PACE = { overheadMs: 1_000, leastMs: 6_000, mostMs: 10_000 };
const LEAST_JOBS = 100;
const WARM = { jobs: 300, limitMs: 20_000 };
const QUICK = { jobs: 50, limitMs: 60_000 };

/** Drains while ten pages of a dashboard are open, and while none is, in turn. */
export async function drains(stage, { database, url, watched, beside }) {
  const { rounds, quick, budgetMs, databases } = stage.options;
  const job = await watched.waiting();
  const entries = stage.entries('screens', database).flatMap((entry) => [
    { ...entry, title: `${entry.title}, no page open`, pages: false },
    { ...entry, title: `${entry.title}, ten pages open`, pages: true },
  ]);
  const played = await interleave(`screens on ${database}`, entries, rounds, {
    pace: { ...PACE, budgetMs: budgetMs / databases.length },
    prepare: async (entry) => (await drainOnce(stage, entry, url, WARM)).rate,
    async play(entry, forMs, rate) {
      const given = quick ? QUICK : { jobs: jobsFor(rate, forMs), limitMs: forMs * 4 };
      if (!entry.pages) return drainOnce(stage, entry, url, given);
      const viewers = openViewers(watched.rowlock, job);
      try {
        return await drainOnce(stage, entry, url, given);
      } finally {
        await viewers.close();
      }
    },
  });
  return report(database, beside, played);
}

function jobsFor(rate, forMs) {
  return Math.max(LEAST_JOBS, Math.round((rate * forMs) / 1000));
}

function drainOnce(stage, entry, url, given) {
  return stage.playIn({ ...entry, setting: { ...entry.setting, hasTables: true } }, url, async ({ call }) => {
    await call('fill', { jobs: given.jobs });
    return call('drain', given);
  });
}

function report(database, beside, played) {
  const title = `Drain on ${database} ${beside}: jobs a second`;
  const { rows, text } = drainRates(title, 'to no page', played);
  return { rows: { drains: rows }, text };
}
