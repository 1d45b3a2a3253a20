import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase, startEmbeddedPostgres } from '@rowlock/servers';
import { connect } from '../connect.mjs';
import { progress } from '../progress.mjs';
import { Interrupted } from '../stage.mjs';
import { milliseconds, perSecond, table } from '../table.mjs';
import { account, figures, readLedger, unsettled } from './account.mjs';
import { Adapter } from './adapter.mjs';

const peer = (name) => new URL(`../peers/hardbyte/${name}.mjs`, import.meta.url).href;

/** `tables` says whose they are; `batch` is how many jobs share a transaction, or what the peer has for it. */
export const SYSTEMS = [
  { name: 'Rowlock', tables: 'rowlock', module: null, batch: 1 },
  { name: 'Rowlock, batch 64', tables: 'rowlock', module: null, batch: 64 },
  { name: 'graphile-worker', tables: 'graphile-worker', module: peer('graphile-worker'), batch: 1 },
  { name: 'graphile-worker, tuned', tables: 'graphile-worker', module: peer('graphile-worker'), batch: 500 },
  { name: 'pg-boss', tables: 'pg-boss', module: peer('pg-boss'), batch: 1 },
];

/** Each so manieth job writes a row through its own transaction, where the system has one. */
const EFFECT_EVERY = 10;
/** How long what is left may take after the last phase. */
const REST_MS = 60_000;
const LOOK_MS = 250;
/** Those of the harness. */
const SETTINGS = { max_connections: '400', shared_buffers: '256MB', work_mem: '8MB' };

/** Plays the phases with one system after the other on a server of its own. All of it ends with `close`. */
export class Play {
  #options;
  #server;
  #adapter;
  #running;
  #folder = mkdtempSync(join(tmpdir(), 'rowlock-phases-'));
  #ended = new AbortController();

  constructor(options) {
    this.#options = options;
  }

  /** @returns a row for each system, with its phases and what was counted at the end */
  run() {
    this.#running = this.#run();
    return this.#running;
  }

  async close() {
    this.#ended.abort();
    await this.#adapter?.kill();
    await this.#running?.catch(() => {});
    await this.#server?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #run() {
    const dataDir = join(tmpdir(), `rowlock-phases-data-${randomBytes(6).toString('hex')}`);
    this.#server = await startEmbeddedPostgres({ dataDir, persistent: false, settings: SETTINGS });
    const rows = [];
    for (const system of this.#options.systems) {
      const row = await this.#system(system).catch((error) => {
        if (this.#ended.signal.aborted) throw new Interrupted();
        return { system: system.name, isPeer: system.module !== null, phases: [], problem: error.message };
      });
      progress('');
      console.log(`\n${phaseTable(row, this.#options)}`);
      rows.push(row);
    }
    return { rows, text: countTable(rows) };
  }

  async #system({ name, tables, module, batch }) {
    const { workers, seconds, rate, phases } = this.#options;
    const { signal } = this.#ended;
    const database = await freshDatabase(this.#server.url);
    const ledger = join(this.#folder, `${name.replaceAll(/\W+/g, '-')}.txt`);
    writeFileSync(ledger, '');
    await asking(database.url, 'CREATE TABLE effect (id text NOT NULL)');
    const adapter = new Adapter(module, {
      DATABASE_URL: database.url,
      WORKER_COUNT: String(workers),
      PRODUCER_RATE: String(rate),
      ROWLOCK_BATCH: String(batch),
      SAMPLE_EVERY_S: '1',
      BENCH_LEDGER: ledger,
      BENCH_EFFECT_EVERY: String(EFFECT_EVERY),
    });
    this.#adapter = adapter;
    try {
      await adapter.start();
      const at = { server: this.#server, adminUrl: this.#server.url, url: database.url, adapter };
      const played = [];
      for (const phase of phases) {
        progress(`${name}: ${phase.name}`);
        played.push(await this.#phase(phase, { ...at, ms: seconds * 1000, signal }, rate));
      }
      progress(`${name}: what is left`);
      adapter.rate = 0;
      await this.#rest(tables, database.url);
      await adapter.stop();
      const written = readLedger(ledger);
      return {
        system: name,
        isPeer: module !== null,
        problem: null,
        phases: played.map((phase) => ({ ...phase, ...figures(written, phase) })),
        counted: await account(tables, database.url, written, EFFECT_EVERY),
        endings: adapter.endings,
        descriptor: adapter.descriptor,
        metrics: adapter.metrics,
      };
    } finally {
      await adapter.kill();
      await database.drop().catch(() => {});
    }
  }

  async #phase({ name, load = 1, begin = async () => async () => {} }, place, rate) {
    const { adapter, ms, signal } = place;
    // What has ended by itself is started again, as by whoever supervises it.
    if (!adapter.isAlive) await adapter.start();
    adapter.rate = rate * load;
    const [from, logged] = [Date.now(), adapter.logLines];
    const end = await begin(place);
    try {
      await sleep(Math.max(0, from + ms - Date.now()), undefined, { signal });
    } finally {
      await end();
    }
    return { name, from, to: Date.now(), logLines: adapter.logLines - logged };
  }

  async #rest(tables, url) {
    const until = Date.now() + REST_MS;
    while (Date.now() < until && (await unsettled(tables, url)) > 0)
      await sleep(LOOK_MS, undefined, { signal: this.#ended.signal });
  }
}

/** What of Rowlock is broken. That a peer is, is said in its row. */
export function brokenPhases(rows) {
  return rows
    .filter(({ isPeer }) => !isPeer)
    .flatMap(({ system, problem, phases, counted, endings }) => {
      if (problem !== null) return [`${system}: ${problem}`];
      const last = phases.at(-1);
      const wrong = ['lost', 'doubled', 'stuck', 'failed'].filter((name) => counted[name] > 0);
      return [
        ...wrong.map((name) => `${system}: ${counted[name]} jobs ${name}`),
        ...(last.completed === 0 ? [`${system}: nothing was completed in the last phase`] : []),
        ...(endings > 0 ? [`${system}: its process ended by itself, ${endings} times`] : []),
      ];
    });
}

async function asking(url, text) {
  const plain = await connect('postgres', url);
  await plain.ask(text);
  await plain.end();
}

function phaseTable({ system, phases, problem }, { workers, seconds, rate }) {
  const title = `${system}, ${workers} workers, ${rate} jobs a second offered, phases of ${seconds} s`;
  if (problem !== null) return `${title}: ${problem}`;
  const head = ['', '', 'offered/s', 'completed/s', 'to offered', 'claim p50 ms', 'p99', 'lines of log', ''];
  const cells = phases.map(({ name, offered, completed, toOffered, p50, p99, logLines }) => [
    name,
    '',
    ...[offered, completed].map(perSecond),
    toOffered === null ? '-' : toOffered.toFixed(2),
    ...[p50, p99].map((ms) => (ms === undefined ? '-' : milliseconds(ms))),
    logLines,
    '',
  ]);
  return `${title}\n${table(head, cells)}`;
}

function countTable(rows) {
  const names = ['acknowledged', 'lost', 'doubled', 'stuck', 'failed', 'again'];
  const head = ['', '', ...names.slice(0, -1), 'run again', 'ended by itself', ''];
  const cells = rows.map(({ system, problem, counted, endings }) => [
    system,
    '',
    ...names.map((name) => counted?.[name] ?? '-'),
    endings ?? '-',
    problem ?? '',
  ]);
  return `What became of the acknowledged jobs, ${REST_MS / 1000} s after the last phase at most\n${table(head, cells)}`;
}
