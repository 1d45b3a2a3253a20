import { setTimeout as sleep } from 'node:timers/promises';
import { HERE } from '../checkout.mjs';
import { openCounters } from '../counters.mjs';
import { drainAll } from '../drain-all.mjs';
import { interleave } from '../interleave.mjs';
import { COSTS } from '../job-costs.mjs';
import { ratio, ratios, spread } from '../statistics.mjs';
import { table, times } from '../table.mjs';

const SHAPES = [
  { name: '5 slots', concurrency: 5, writes: false },
  { name: '24 slots', concurrency: 24, writes: false },
  { name: '24 slots, writes a row', concurrency: 24, writes: true },
];
const QUICK_JOBS = 40;

/** What is compared, and how many digits are shown. */
const METRICS = {
  'jobs/s': { of: ({ rate }) => rate, digits: 0 },
  'ms from start()': { of: ({ fromCallMs }) => fromCallMs, digits: 0 },
  'ms until the first': { of: ({ firstMs }) => firstMs, digits: 0 },
  'client µs a job': { of: COSTS.clientUs, digits: 0 },
  'server µs a job': { of: COSTS.serverUs, digits: 0 },
  'statements a job': { of: ({ statements }) => statements, digits: 2 },
};

/** An older commit and this one in alternating rounds, each round in a process that has just started, with tables of its own. */
export async function compare(stage, database) {
  const { rounds, quick, jobs, commit } = stage.options;
  const older = await stage.checkout(commit);
  const size = quick ? QUICK_JOBS : jobs;
  const entries = SHAPES.slice(0, quick ? 1 : undefined).flatMap((shape) => [
    entryOf(database, shape, commit, older),
    entryOf(database, shape, 'this', HERE),
  ]);
  const played = await interleave(`compare on ${database}`, entries, rounds, {
    prepare: async () => {},
    play: (entry) => drainOnce(stage, entry, size),
  });
  const rows = played.map((entry, place) => row(entry, played[place - (place % 2)]));
  const title = `This to ${commit} on ${database}: ${size} jobs, medians of ${rounds} rounds, and the ratio's median (least to most)`;
  return { rows, text: `${title}\n${comparison(rows)}` };
}

function entryOf(database, shape, version, root) {
  return {
    system: { name: `Rowlock ${version}`, database, module: 'systems/rowlock-commit.mjs' },
    setting: { ...shape, root },
    title: `${shape.name}, ${version}`,
    version,
  };
}

function drainOnce(stage, entry, jobs) {
  const { database } = entry.system;
  return stage.withDatabase(database, (url) =>
    stage.playFresh(entry, url, async ({ call }) => {
      await call('fill', { jobs });
      await stage.servers.analyze(database, url);
      const counters = await openCounters(database, url, () => Number.NaN);
      try {
        const before = await counters.read();
        const drained = await drainAll(stage, database, call, jobs);
        // The server has counted by then what the last connections did.
        await sleep(100);
        const after = await counters.read();
        return { ...drained, statements: (after.statements - before.statements) / jobs };
      } finally {
        await counters.end();
      }
    }),
  );
}

function row({ title, version, setting, problem, results }, older) {
  const metrics = Object.entries(METRICS).map(([name, { of }]) => {
    const own = results.map(of);
    if (own.length === 0) return [name, null];
    const theirs = older.results.map(of);
    const toOlder = { median: ratio(own, theirs), rounds: ratios(own, theirs) };
    return [name, { ...spread(own), toOlder, rounds: own }];
  });
  return { title, version, setting: setting.name, problem, metrics: Object.fromEntries(metrics) };
}

function comparison(rows) {
  const head = ['', '', ...Object.keys(METRICS), ''];
  const lines = rows.flatMap(({ setting, version, problem, metrics }, place) => {
    const figures = Object.entries(METRICS).map(([name, { digits }]) => shown(metrics[name]?.median, digits));
    const line = [setting, version, ...figures, problem ?? ''];
    const toOlder = Object.keys(METRICS).map((name) => range(metrics[name]?.toOlder));
    return place % 2 === 0 ? [line] : [line, ['', 'ratio', ...toOlder, '']];
  });
  return table(head, lines);
}

function shown(value, digits) {
  return Number.isFinite(value) ? value.toFixed(digits) : '-';
}

function range(toOlder) {
  if (!toOlder || toOlder.median === null) return '-';
  const { median, rounds } = toOlder;
  return `${times(median)} (${Math.min(...rounds).toFixed(2)} to ${Math.max(...rounds).toFixed(2)})`;
}
