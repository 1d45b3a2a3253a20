import { setTimeout as sleep } from 'node:timers/promises';
import { openCounters } from '../counters.mjs';
import { interleave } from '../interleave.mjs';
import { progress } from '../progress.mjs';
import { evaluate } from '../report.mjs';
import { openTable, statesFor } from '../scale/states.mjs';
import { opening } from '../stage.mjs';
import { ratio } from '../statistics.mjs';
import { perSecond, table, times } from '../table.mjs';

const PACE = { overheadMs: 700, leastMs: 250, mostMs: 4_000 };
const LEAST_JOBS = 100;
const WARM = { jobs: 300, limitMs: 5_000 };
const LOAD = { jobs: 1_000, limitMs: 20_000 };
/** Of a busy key. */
const BLOCKED = 100_000;
/** Filling a million rows takes MySQL minutes. */
const ROWS = { postgres: 1_000_000, mysql: 100_000 };
const CREWS = [1, 2, 4, 8];

/** What a job costs, how the drain's rate depends on what else is in the table, and how it grows with the workers' processes. */
export async function scale(stage, database) {
  const { quick, rows, budgetMs, databases } = stage.options;
  const started = performance.now();
  const size = quick ? { rows: 1_000, blocked: 1_000 } : { rows: rows ?? ROWS[database], blocked: BLOCKED };
  const states = statesFor({ ...size, isQuick: quick });
  const settings = stage.entries('scale', database);
  const first =
    settings.find(({ system, setting }) => system.name === 'Rowlock' && setting.reference) ?? settings[0];
  if (first === undefined) return { rows: [], text: `Scale on ${database}: no system takes part` };

  const crews = (quick ? CREWS.slice(0, 1) : CREWS).map((processes) => ({
    ...first,
    title: `${processes} ${processes === 1 ? 'process' : 'processes'}`,
    processes,
  }));
  const entries = [
    ...settings.map((entry) => ({ ...entry, isCost: true })),
    ...states.map((state) => ({ ...first, title: state.name, state })),
    ...crews,
  ];
  const closing = [];
  try {
    const ready = await prepareStates(stage, database, states, closing, first);
    const leftMs = budgetMs / databases.length - (performance.now() - started);
    const played = await interleave(`scale on ${database}`, entries, stage.options.rounds, {
      pace: { ...PACE, budgetMs: leftMs },
      prepare: async (entry) => (await playOnce(stage, entry, ready, WARM)).rate,
      play: (entry, forMs, rate) =>
        playOnce(stage, entry, ready, { jobs: jobsFor(rate, forMs), limitMs: forMs * 4 }),
    });
    return report(database, played);
  } finally {
    for (const close of closing.reverse()) await close().catch(() => {});
  }
}

/** A database for each state, which lives through all rounds. */
async function prepareStates(stage, database, states, closing, entry) {
  const ready = new Map();
  const tables = new Map();
  for (const state of states) {
    const place = await stage.servers.fresh(database);
    closing.push(place.drop);
    await stage.playIn(entry, place.url, async () => {});
    const table = await openTable(database, place.url);
    closing.push(table.end);
    ready.set(state, place.url);
    tables.set(state, table);
  }
  progress(`scale on ${database}: filling the tables`);
  await Promise.all(states.map((state) => state.before(tables.get(state))));
  for (const state of states.filter(({ loaded }) => loaded)) {
    progress(`scale on ${database}: load, ${state.name}`);
    const until = performance.now() + stage.options.snapshotMs;
    while (performance.now() < until) await drainIn(stage, entry, ready.get(state), LOAD);
  }
  return ready;
}

function jobsFor(rate, forMs) {
  return Math.max(LEAST_JOBS, Math.round((rate * forMs) / 1000));
}

function playOnce(stage, entry, ready, given) {
  if (entry.processes !== undefined) return workOff(stage, entry, given);
  if (entry.state === undefined) return costs(stage, entry, given);
  return drainIn(stage, entry, ready.get(entry.state), { ...given, keys: entry.state.keys });
}

function drainIn(stage, entry, url, { jobs, limitMs, keys }) {
  return stage.playIn(entry, url, async ({ call }) => {
    await call('fill', { jobs, keys });
    return call('drain', { jobs, limitMs });
  });
}

/**
 * A drain, and what the server and the client did for each of its jobs. Counted before its connections are opened and
 * after they are closed: a connection tells the server's statistics what it did with some delay, or when it ends.
 */
async function costs(stage, entry, { jobs, limitMs }) {
  const { database } = entry.system;
  const place = await stage.servers.fresh(database);
  try {
    await stage.playIn(entry, place.url, ({ call }) => call('fill', { jobs }));
    await stage.servers.analyze(database, place.url);
    const counters = await openCounters(database, place.url, () => stage.serverCpuSeconds(database));
    const before = await counters.read();
    const drained = await stage.playIn(entry, place.url, ({ call }) => call('drain', { jobs, limitMs }));
    // The server has noticed by then.
    await sleep(100);
    const after = await counters.read();
    await counters.end();
    const perJob = Object.entries(after).map(([name, value]) => [
      name,
      (value - before[name]) / drained.jobs,
    ]);
    return { ...drained, ...Object.fromEntries(perJob), clientCpu: drained.cpuSeconds / drained.jobs };
  } finally {
    await place.drop();
  }
}

/** Several workers' processes, each with the default concurrency. */
function workOff(stage, { system, setting, processes }, { jobs, limitMs }) {
  const { concurrency: _, ...worker } = setting;
  return stage.play({ system, setting }, async ({ call, url }) => {
    await call('fill', { jobs });
    await stage.servers.analyze(system.database, url);
    const crew = await stage.crew(system, processes);
    await Promise.all(crew.map((subject) => subject.call('open', opening(system, worker, url))));
    try {
      const begin = performance.now();
      await Promise.all(crew.map((subject) => subject.call('work')));
      let unsettled;
      do {
        await sleep(5);
        unsettled = await call('unsettled');
      } while (unsettled > 0 && performance.now() - begin < limitMs);
      const ms = performance.now() - begin;
      return { ms, rate: (jobs - unsettled) / (ms / 1000) };
    } finally {
      await Promise.all(crew.map((subject) => subject.call('close')));
    }
  });
}

const COSTS = {
  rate: ({ rate }) => rate,
  serverCpuMs: ({ serverCpu }) => serverCpu * 1000,
  clientCpuMs: ({ clientCpu }) => clientCpu * 1000,
  logBytes: ({ log }) => log,
  commits: ({ commits }) => commits,
  statements: ({ statements }) => statements,
};

function report(database, played) {
  const rate = { rate: COSTS.rate };
  const cost = evaluate(
    played.filter(({ isCost }) => isCost),
    COSTS,
  );
  const states = against(
    played.filter(({ state }) => state !== undefined),
    rate,
  );
  const crews = against(
    played.filter(({ processes }) => processes !== undefined),
    rate,
  );
  const text = [
    `Cost of a job on ${database}: medians`,
    costTable(cost),
    `\nDrain on ${database} with what else is in the table: jobs a second`,
    ratioTable(states, `to ${states[0]?.title}`),
    `\nDrain on ${database} by processes of workers, 5 slots each: jobs a second`,
    ratioTable(crews, `to ${crews[0]?.title}`),
  ];
  return { rows: { cost, states, crews }, text: text.join('\n') };
}

/** Rates, and their ratio to the first of them. */
function against([first, ...others], metrics) {
  if (first === undefined) return [];
  return [first, ...others].map((entry) => {
    const [{ problem, metrics: own }] = evaluate([entry], metrics);
    const rates = ({ results }) => results.map(({ rate }) => rate);
    return { title: entry.title, problem, ...own, ratio: ratio(rates(entry), rates(first)) };
  });
}

function costTable(rows) {
  const head = [
    '',
    '',
    'jobs/s',
    'ms of a core, server',
    'ms of a core, client',
    'bytes of log',
    'commits',
    'statements',
    '',
  ];
  const cells = rows.map(({ system, setting, problem, metrics }) => {
    const of = (name, digits) => {
      const { median } = metrics[name] ?? {};
      return Number.isFinite(median) ? median.toFixed(digits) : '-';
    };
    const costs = [
      of('serverCpuMs', 3),
      of('clientCpuMs', 3),
      of('logBytes', 0),
      of('commits', 2),
      of('statements', 2),
    ];
    return [system, setting, metrics.rate ? perSecond(metrics.rate.median) : '-', ...costs, problem ?? ''];
  });
  return table(head, cells);
}

function ratioTable(rows, title) {
  const head = ['', '', 'median', 'least', 'most', title, ''];
  const cells = rows.map(({ title: name, problem, rate, ratio }) => {
    const spread = rate ? [rate.median, rate.least, rate.most].map(perSecond) : ['-', '-', '-'];
    return [name, '', ...spread, times(ratio), problem ?? ''];
  });
  return table(head, cells);
}
