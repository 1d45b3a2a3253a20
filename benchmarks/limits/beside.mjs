import { drainRates } from '../drain-rates.mjs';
import { interleave } from '../interleave.mjs';
import { openTable } from '../scale/states.mjs';
import { opening } from '../stage.mjs';

const PACE = { overheadMs: 500, leastMs: 300, mostMs: 4_000 };
const LEAST_JOBS = 100;
const WARM = { jobs: 300, limitMs: 20_000 };
const QUICK = { jobs: 50, limitMs: 60_000 };
/** Jobs that wait for the slot of a limit which somebody keeps. */
const WAITING = 100_000;
const QUICK_WAITING = 1_000;

/** Drains of jobs without limits, beside waiting jobs of a full limit in the same queue, and without those. */
export async function beside(stage, database, budgetMs) {
  const { rounds, quick } = stage.options;
  const waiting = quick ? QUICK_WAITING : WAITING;
  const entries = stage.entries('limits: beside', database).flatMap((entry) => [
    { ...entry, title: `${entry.title}, nothing else`, waiting: 0 },
    { ...entry, title: `${entry.title}, ${waiting.toLocaleString('en')} jobs of a full limit`, waiting },
  ]);
  const closing = [];
  try {
    const urls = new Map();
    for (const entry of entries) urls.set(entry.title, await prepare(stage, entry, closing));
    const played = await interleave(`limits: beside on ${database}`, entries, rounds, {
      pace: { ...PACE, budgetMs },
      prepare: async (entry) => (await drainIn(stage, entry, urls.get(entry.title), WARM)).rate,
      play: (entry, forMs, rate) => {
        const jobs = Math.max(LEAST_JOBS, Math.round((rate * forMs) / 1000));
        return drainIn(stage, entry, urls.get(entry.title), quick ? QUICK : { jobs, limitMs: forMs * 4 });
      },
    });
    return report(database, played);
  } finally {
    for (const close of closing.reverse()) await close().catch(() => {});
  }
}

/** A database that lives through all rounds, in which somebody keeps the only slot. */
async function prepare(stage, entry, closing) {
  const { system, setting, waiting } = entry;
  const place = await stage.servers.fresh(system.database);
  closing.push(place.drop);
  await stage.playIn(entry, place.url, async () => {});
  if (waiting === 0) return place.url;
  const filler = await openTable(system.database, place.url);
  closing.push(filler.end);
  await filler.fill('limited', waiting);
  const [holder] = await stage.crew(system, 1);
  await holder.call('open', opening(system, { ...setting, hasTables: true }, place.url));
  closing.push(() => holder.call('close'));
  await holder.call('holdSlot', 'full');
  return place.url;
}

function drainIn(stage, entry, url, given) {
  return stage.playIn(entry, url, async ({ call }) => {
    await call('fill', { jobs: given.jobs });
    return call('drain', given);
  });
}

function report(database, played) {
  const title = `Drain on ${database} beside waiting jobs of a full limit in the same queue: jobs a second`;
  const { rows, text } = drainRates(title, 'to nothing else', played);
  return { rows: { beside: rows }, text };
}
