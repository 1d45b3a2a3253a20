import { parseArgs } from 'node:util';
import { SYSTEMS } from './systems.mjs';

const MEASURES = ['drain', 'burst', 'cost', 'latency', 'enqueue', 'scale', 'contention', 'limits', 'screens'];

/** What was asked for cannot be done; the message says what can. */
export class UsageError extends Error {
  name = 'UsageError';
}

const KNOWN = {
  postgres: { type: 'boolean', default: false },
  mysql: { type: 'boolean', default: false },
  rounds: { type: 'string', default: '5' },
  minutes: { type: 'string', default: '4.5' },
  jobs: { type: 'string', default: '4000' },
  'snapshot-seconds': { type: 'string', default: '6' },
  rows: { type: 'string' },
  waiting: { type: 'string' },
  'cache-gib': { type: 'string' },
  system: { type: 'string', multiple: true, default: [] },
  'no-peers': { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  json: { type: 'string' },
};

/** @throws UsageError */
export function readOptions(args) {
  const { values, positionals } = parsed(args);
  const [first, commit] = positionals;
  if (first === 'compare') {
    if (positionals.length !== 2)
      throw new UsageError('compare takes one commit, or a folder with a built Rowlock, and nothing else.');
    positionals.length = 0;
  }
  const unknown = positionals.find((name) => !MEASURES.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`There is no ${unknown}: choose among ${MEASURES.join(', ')}.`);
  const { postgres, mysql, quick } = values;
  return {
    measures:
      first === 'compare'
        ? [first]
        : positionals.length > 0
          ? MEASURES.filter((name) => positionals.includes(name))
          : MEASURES,
    /** What `compare` compares this with. */
    commit: first === 'compare' ? commit : null,
    /** Of which databases; what runs on Redis goes with Postgres. */
    databases: ['postgres', 'mysql'].filter((name) => postgres === mysql || values[name]),
    rounds: quick ? 1 : whole('rounds', values.rounds, 1, 1_000),
    /** How long a measure may take, in milliseconds. */
    budgetMs: quick ? 4_000 : number('minutes', values.minutes, 0.1, 600) * 60_000,
    /** How many jobs a system has in `drain`, `cost` and `compare`, with one job a transaction. */
    jobs: whole('jobs', values.jobs, 100, 1_000_000),
    snapshotMs: quick ? 500 : number('snapshot-seconds', values['snapshot-seconds'], 0.1, 3_600) * 1_000,
    /** How many rows fill the table in `scale` and `screens`; without it what the database takes in good time. */
    rows: values.rows === undefined ? null : whole('rows', values.rows, 1, 1e9),
    /** How many jobs wait in `screens`. */
    waiting: values.waiting === undefined ? null : whole('waiting', values.waiting, 1_000, 1e9),
    /** How large the caches of the databases are in `screens`; without it as small as a server's default. */
    cacheGib: values['cache-gib'] === undefined ? null : whole('cache-gib', values['cache-gib'], 1, 1_000),
    systems: values.system.map(system),
    withPeers: !quick && !values['no-peers'],
    quick,
    json: values.json ?? null,
  };
}

function parsed(args) {
  try {
    return parseArgs({ args, options: KNOWN, allowPositionals: true });
  } catch (error) {
    const known = Object.keys(KNOWN).map((name) => `--${name}`);
    throw new UsageError(`${error.message.split('. ')[0]}. Known options: ${known.join(', ')}.`);
  }
}

/** A part of a system's name. */
function system(given) {
  const part = given.toLowerCase();
  const names = [...new Set(SYSTEMS.map(({ name }) => name))];
  if (names.some((name) => name.toLowerCase().includes(part))) return part;
  throw new UsageError(`There is no system ${given}: choose among ${names.join(', ')}.`);
}

/** @throws UsageError */
export function whole(name, given, least, most) {
  const value = number(name, given, least, most);
  if (Number.isInteger(value)) return value;
  throw new UsageError(`--${name} takes a whole number, not ${given}.`);
}

function number(name, given, least, most) {
  const value = Number(given);
  if (value >= least && value <= most) return value;
  throw new UsageError(`--${name} takes a number from ${least} to ${most}, not ${given}.`);
}
