import { fillAndDrain } from '../drain-all.mjs';
import { interleave } from '../interleave.mjs';
import { COSTS } from '../job-costs.mjs';
import { ratio, spread } from '../statistics.mjs';
import { CAPABILITY_NAMES } from '../systems/unused.mjs';
import { perSecond, table, times } from '../table.mjs';

/** Wanted: at least this rate with all of them, to the rate with none. */
const WANTED = 0.97;
const QUICK_JOBS = 40;

const METRICS = { rate: ({ rate }) => rate, ...COSTS };

/** What capabilities cost jobs that do not use them: drains in a database that has them for other kinds, and in one that has none. */
export async function cost(stage, database) {
  const { rounds, quick, jobs } = stage.options;
  const sets = [[], ...(quick ? [] : CAPABILITY_NAMES.map((name) => [name])), CAPABILITY_NAMES];
  const size = quick ? QUICK_JOBS : jobs;
  const plain = stage.entries('cost', database).slice(0, quick ? 1 : undefined);
  const entries = plain.flatMap((entry) => sets.map((unused) => besides(entry, unused)));
  const played = await interleave(`cost on ${database}`, entries, rounds, {
    prepare: (entry) => (quick ? undefined : fillAndDrain(stage, entry, size)),
    play: (entry) => fillAndDrain(stage, entry, size),
  });
  const rows = played.map((entry, place) => row(entry, played[place - (place % sets.length)]));
  const title = `Cost on ${database} of what jobs do not use: ${size} jobs, to none (at least ${WANTED} of the rate is wanted)`;
  return { rows, text: `${title}\n${costOfUnused(rows)}` };
}

function besides(entry, unused) {
  const has = unused.length === 0 ? 'none' : unused.join(', ');
  return {
    ...entry,
    has,
    title: `${entry.title}, ${has}`,
    setting: { ...entry.setting, unused },
  };
}

function row({ title, has, setting, problem, results }, none) {
  const metrics = Object.entries(METRICS).map(([name, of]) => {
    const own = results.map(of);
    if (own.length === 0) return [name, null];
    return [name, { ...spread(own), toNone: ratio(own, none.results.map(of)), rounds: own }];
  });
  return { title, setting: setting.name, has, problem, metrics: Object.fromEntries(metrics) };
}

function costOfUnused(rows) {
  const head = ['', 'the database has', 'jobs/s', 'least', 'most', 'to none', 'client µs', 'server µs', ''];
  const cells = rows.map(({ setting, has, problem, metrics: { rate, clientUs, serverUs } }) => {
    if (!rate) return [setting, has, '-', '-', '-', '-', '-', '-', problem ?? ''];
    const rates = [rate.median, rate.least, rate.most].map(perSecond);
    return [setting, has, ...rates, ...[rate, clientUs, serverUs].map(({ toNone }) => times(toNone)), ''];
  });
  return table(head, cells);
}
