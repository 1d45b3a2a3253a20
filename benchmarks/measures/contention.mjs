import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../connect.mjs';
import { interleave } from '../interleave.mjs';
import { median, percentiles, spread } from '../statistics.mjs';
import { milliseconds, table } from '../table.mjs';

const KEYS = [1, 10, 1_000];
const CREWS = 4;
const SLOTS = 5;
/** How long the handler takes. */
const WORK_MS = 5;
const PER_SECOND = 500;
const PACE = { overheadMs: 2_500, leastMs: 300, mostMs: 6_000 };
const LIMIT_MS = 30_000;

/** What is counted past Rowlock: the runs, and how long each request waited for its own. */
const WAITS = {
  postgres: `
    SELECT key AS entity, process_id AS run, extract(epoch FROM started_at - created_at)::float8 * 1000 AS waited
    FROM rowlock.job WHERE status = 'complete'`,
  mysql: `
    SELECT \`key\` AS entity, process_id AS run, TIMESTAMPDIFF(MICROSECOND, created_at, started_at) / 1000 AS waited
    FROM rowlock_job WHERE status = 'complete'`,
};

const UNSETTLED = {
  postgres: `SELECT count(*) FROM rowlock.job WHERE status IN ('new', 'in-progress')`,
  mysql: `SELECT COUNT(*) FROM rowlock_job WHERE status IN ('new', 'in-progress')`,
};

/**
 * Requests of few and of many keys come in, while workers in several processes, 20 slots in all, take all requests of a key
 * in one run. And what that costs the producer, beside the same without workers.
 */
export async function contention(stage, database) {
  const { quick, rounds, budgetMs, databases } = stage.options;
  const system = { name: 'Rowlock', database, module: 'systems/rowlock-grouped.mjs' };
  const entry = (keys, crews) => ({
    system,
    setting: { name: `${keys}`, shape: 'one', concurrency: SLOTS, workMs: WORK_MS },
    title: crews === 0 ? 'nobody works' : `${keys.toLocaleString('en')} ${keys === 1 ? 'key' : 'keys'}`,
    keys,
    crews,
  });
  const entries = [entry(1_000, 0), ...(quick ? [10] : KEYS).map((keys) => entry(keys, CREWS))];
  const play = (each, forMs) => contend(stage, each, Math.round((forMs * PER_SECOND) / 1000));
  const played = await interleave(`contention on ${database}`, entries, rounds, {
    pace: { ...PACE, budgetMs: budgetMs / databases.length },
    prepare: (each, forMs) => play(each, forMs / 4),
    play,
  });
  const rows = played.map(({ title, keys, crews, problem, results }) => ({
    title,
    keys,
    crews,
    problem,
    metrics: spreads(results),
  }));
  return { rows, text: text(database, rows) };
}

function contend(stage, { system, setting, keys, crews }, requests) {
  return stage.play({ system, setting }, async ({ call, url }) => {
    const crew = await stage.crew(system, crews);
    const given = {
      database: system.database,
      url,
      concurrency: setting.concurrency,
      workMs: setting.workMs,
    };
    await Promise.all(crew.map((subject) => subject.call('open', given)));
    try {
      await Promise.all(crew.map((subject) => subject.call('work')));
      const times = await call('offer', { requests, keys, perSecond: PER_SECOND });
      const producer = { ...percentiles(times), longest: Math.max(...times) };
      if (crews === 0) return { producer };
      return { producer, ...(await outcome(crew, system.database, url)) };
    } finally {
      await Promise.all(crew.map((subject) => subject.call('close')));
    }
  });
}

async function outcome(crew, database, url) {
  const plain = await connect(database, url);
  try {
    const end = performance.now() + LIMIT_MS;
    while ((await plain.number(UNSETTLED[database])) > 0) {
      if (performance.now() > end)
        throw new Error(`Not all requests were settled within ${LIMIT_MS / 1000} s.`);
      await sleep(10);
    }
    const told = await Promise.all(crew.map((subject) => subject.call('told')));
    const faults = told.flatMap(({ faults }) => faults);
    if (faults.length > 0) throw new Error(`${faults.length} faults: ${faults[0]}`);
    const requests = await plain.ask(WAITS[database]);
    const runs = new Set(requests.map(({ run }) => run)).size;
    const blocked = told.reduce((sum, each) => sum + each.blocked, 0);
    const longest = new Map();
    for (const { entity, waited } of requests) {
      longest.set(entity, Math.max(longest.get(entity) ?? 0, Number(waited)));
    }
    const waits = [...longest.values()];
    return {
      runsPerRequest: runs / requests.length,
      blockedPerRun: blocked / runs,
      waitedMs: percentiles(requests.map(({ waited }) => Number(waited))),
      unfairness: Math.max(...waits) / median(waits),
    };
  } finally {
    await plain.end();
  }
}

const METRICS = {
  runsPerRequest: ({ runsPerRequest }) => runsPerRequest,
  blockedPerRun: ({ blockedPerRun }) => blockedPerRun,
  waitedP50: ({ waitedMs }) => waitedMs?.p50,
  waitedP99: ({ waitedMs }) => waitedMs?.p99,
  unfairness: ({ unfairness }) => unfairness,
  enqueueP50: ({ producer }) => producer.p50,
  enqueueP99: ({ producer }) => producer.p99,
  enqueueLongest: ({ producer }) => producer.longest,
};

function spreads(results) {
  return Object.fromEntries(
    Object.entries(METRICS).map(([name, of]) => {
      const own = results.map(of).filter((value) => value !== undefined);
      return [name, own.length === 0 ? null : { ...spread(own), rounds: own }];
    }),
  );
}

function text(database, rows) {
  const head = [
    '',
    '',
    'runs a request',
    'blocked a run',
    'waited p50',
    'p99',
    'longest/median key',
    'enqueue p50',
    'p99',
    'longest',
    '',
  ];
  const cells = rows.map(({ title, problem, metrics }) => {
    const of = (name, format) => (metrics[name] ? format(metrics[name].median) : '-');
    const ratio = (value) => value.toFixed(3);
    return [
      title,
      '',
      of('runsPerRequest', ratio),
      of('blockedPerRun', ratio),
      of('waitedP50', milliseconds),
      of('waitedP99', milliseconds),
      of('unfairness', ratio),
      ...['enqueueP50', 'enqueueP99', 'enqueueLongest'].map((name) => of(name, milliseconds)),
      problem ?? '',
    ];
  });
  const title = `Contention on ${database}: ${CREWS} processes of ${SLOTS} slots, ${PER_SECOND} requests a second, handlers of ${WORK_MS} ms; medians, times in ms`;
  return `${title}\n${table(head, cells)}`;
}
