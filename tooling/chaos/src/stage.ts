import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Capture, createRowlock } from '@rowlock/core';
import type { Break } from './broken-driver.js';
import { Crew, through } from './crew.js';
import { ENTITIES, entityName } from './drawn-jobs.js';
import { HistoryFile } from './history/history-file.js';
import type { Tables } from './history/tables.js';
import { Load } from './load.js';
import type { Mode } from './mode.js';
import { Producer } from './producer.js';
import { Random } from './random.js';
import { startResizes } from './resizes.js';
import { CAPTURES } from './subjects/captures.js';
import { readSubjects, type SubjectFacts } from './subjects/subject-facts.js';
import { SubjectLoad } from './subjects/subject-load.js';
import { SUBJECT_TABLES } from './subjects/tables.js';
import type { Plain, Row, Server, System } from './system.js';
import { startProxy, type TcpProxy } from './tcp-proxy.js';

export interface StageOptions {
  readonly modes: readonly Mode[];
  readonly seed: number;
  readonly proxied: boolean;
  readonly clocksMs?: readonly number[];
  /** Whether the disk can be full. */
  readonly disk?: boolean;
  readonly broken?: Break;
  /** Whether limits get other sizes all the time. Default: yes. */
  readonly resizes?: boolean;
  readonly workMs?: readonly [number, number];
  /** Jobs a second and mode. */
  readonly rate?: number;
  /** Workers a mode. */
  readonly workers: number;
  /** The programs of the frozen version: it begins, and the subjects are a part of the load. Default: neither. */
  readonly frozen?: ((program: string) => string) | null;
  /** How long what is left may take when the faults are over, in milliseconds: what takes longer counts as lost. */
  readonly drainMs?: number;
}

/** Slots of each worker. In batches a few do; with more there would be a job for each, and nothing to share. */
const CONCURRENCY: Readonly<Record<Mode, number>> = { hold: 4, lease: 4, batch: 2 };

/** A net: each poisoned job ends three workers first, and a slow machine takes seconds to start another one. */
const DRAIN_MS = 600_000;

/** How long after the last job's end a slot may be taken, in milliseconds. */
const FREE_MS = 2_000;

/** What the tables hold when everything is over. */
export interface Settled {
  readonly tables: Tables;
  /** Where subjects were a part of the load. */
  readonly subjects: SubjectFacts | null;
}

/** Jobs that the frozen version has completed by itself before the tables are migrated. */
const DONE_BEFORE = 100;

/** One database with a crew at work and a load on it, and what faults reach for. */
export interface Stage<Tx> {
  readonly system: System<Tx>;
  readonly server: Server;
  readonly crew: Crew;
  readonly loads: readonly Load<Tx>[];
  /** The producers' way to the server, where there are proxies. */
  readonly producers: TcpProxy | null;
  readonly modes: readonly Mode[];
  /** What the conductor writes down. */
  readonly history: HistoryFile;
  /** Where the histories of all processes are. */
  readonly folder: string;

  /** Where the database is now, past all proxies. */
  url(): string;
  /** Does something with a plain connection of its own. */
  plainly<Result>(work: (plain: Plain<Tx>) => Promise<Result>): Promise<Result>;
  /** Says it in the history: what a fault does, and when. */
  tell(fault: string, does: string): void;

  /** Ends the load, waits until everything is settled, stops the crew, and returns what the tables hold. */
  settle(): Promise<Settled>;
  /** Ends everything, whatever has become of it, but for the histories. */
  clear(): Promise<void>;
  /** Deletes the histories, which nobody needs. */
  forget(): void;
}

/** Makes a database on the server, puts a crew to work on it, and begins the load. */
export async function setStage<Tx>(
  system: System<Tx>,
  server: Server,
  options: StageOptions,
): Promise<Stage<Tx>> {
  const {
    modes,
    seed,
    proxied,
    workMs = [20, 250],
    rate = 25,
    workers,
    drainMs = DRAIN_MS,
    resizes = true,
    frozen = null,
  } = options;
  const fresh = await server.fresh();
  const folder = mkdtempSync(join(tmpdir(), 'rowlock-chaos-history-'));
  const history = new HistoryFile(folder, 'conductor');
  const producers = proxied ? await startProxy(() => server) : null;
  const url = producers === null ? fresh.url : through(producers, fresh.url);
  await tablesOfApplication(system, fresh.url, options);
  const orders = { database: system.name, url: fresh.url, loadUrl: url, modes, folder, seed, rate, workMs };
  const producer =
    frozen === null ? null : await Producer.start(frozen('producer-process.js'), history, orders);
  if (producer === null) await migrate(system, fresh.url);
  if (options.disk) await saidTo(system, fresh.url, system.fullDisk);
  producer?.begin();
  const crew = await Crew.hire(history, {
    ...{ database: system.name, url: fresh.url, server: () => server, folder, modes, proxied, workers },
    concurrency: CONCURRENCY,
    clocksMs: options.clocksMs ?? [0],
    broken: options.broken ?? null,
    frozen: frozen && { program: frozen('worker-process.js'), upgrade: () => upgrade(system, fresh.url) },
  });
  const loads = modes.map(
    (mode) => new Load(system, history, new Random(seed, `load ${mode}`), { mode, url, rate, workMs }),
  );
  for (const load of loads) load.start();
  const subjects =
    frozen === null ? null : new SubjectLoad(system, url, history, new Random(seed, 'subjects'));
  subjects?.start();
  const beganAtMs = Date.now();
  const endResizes = resizes
    ? startResizes(system, url, history, new Random(seed, 'resizes'))
    : async (): Promise<void> => {};
  const stopAll = async (): Promise<void> => {
    await Promise.all([endResizes(), producer?.stop(), ...loads.map((load) => load.stop())]);
  };

  const stage: Stage<Tx> = {
    ...{ system, server, crew, loads, producers, modes, history, folder },

    // After a fail-over it is at another port.
    url: () => through(server, fresh.url),

    async plainly(work) {
      const plain = await system.connect(stage.url());
      try {
        return await work(plain);
      } finally {
        await plain.end();
      }
    },

    tell: (fault, does) => void history.write({ what: 'strike', fault, does }),

    async settle() {
      if (subjects !== null) history.write({ what: 'subjects', beganAtMs, endedAtMs: Date.now() });
      await Promise.all([stopAll(), subjects?.settle()]);
      const until = performance.now() + drainMs;
      let left = await outstanding(stage);
      while (left > 0 && performance.now() < until) {
        await sleep(100);
        left = await outstanding(stage);
      }
      if (left === 0) await noteOccupied(stage);
      await crew.stop();
      return stage.plainly(async (plain) => ({
        tables: await system.readTables(plain),
        subjects: subjects && (await readSubjects(system, plain)),
      }));
    },

    async clear() {
      await Promise.all([stopAll(), subjects?.stop()]);
      await crew.stop();
      await Promise.all([subjects?.close(), ...loads.map((load) => load.close())]);
      await producers?.close();
      history.close();
      await fresh.drop();
    },

    forget: () => rmSync(folder, { recursive: true, force: true }),
  };
  return stage;
}

/** How many jobs are not settled; Infinity while nobody can tell. */
function outstanding<Tx>({ system, plainly }: Stage<Tx>): Promise<number> {
  return plainly(async ({ ask }) => {
    const sql = `SELECT COUNT(*) AS jobs FROM ${system.jobTable} WHERE status IN ('new', 'in-progress')`;
    const [row] = await ask(sql);
    return Number(row?.jobs);
  }).catch(() => Number.POSITIVE_INFINITY);
}

/** Writes down which slots are not free in time, while the workers are idle. */
async function noteOccupied<Tx>({ system, plainly, history }: Stage<Tx>): Promise<void> {
  const until = performance.now() + FREE_MS;
  const occupied = (): Promise<string[]> =>
    plainly(async ({ ask }) => {
      const names = (rows: readonly Row[]): string[] => rows.map(({ name, n }) => `${name}, ${n}`);
      const free = new Set(names(await ask(system.freeSlots)));
      return names(await ask(system.slots)).filter((slot) => !free.has(slot));
    });
  let slots = await occupied();
  while (slots.length > 0 && performance.now() < until) {
    await sleep(50);
    slots = await occupied();
  }
  if (slots.length > 0) history.write({ what: 'occupied', slots });
}

async function tablesOfApplication<Tx>(
  system: System<Tx>,
  url: string,
  { modes, frozen }: StageOptions,
): Promise<void> {
  const own = [...system.applicationTables, 'INSERT INTO chaos_disk VALUES (0)'];
  await saidTo(system, url, frozen ? [...own, ...SUBJECT_TABLES] : own);
  const plain = await system.connect(url);
  for (const mode of modes) {
    const names = Array.from({ length: ENTITIES }, (_, number) => entityName(mode, number));
    await plain.ask(`INSERT INTO chaos_entity (name) VALUES ${names.map(() => '(?)').join(', ')}`, names);
  }
  await plain.end();
}

async function saidTo<Tx>(system: System<Tx>, url: string, statements: readonly string[]): Promise<void> {
  const plain = await system.connect(url);
  for (const statement of statements) await plain.ask(statement);
  await plain.end();
}

async function migrate<Tx>(
  system: System<Tx>,
  url: string,
  captures: readonly Capture[] = [],
): Promise<void> {
  const rowlock = createRowlock<Tx>({ driver: system.driver(url, 2), captures });
  await rowlock.migrate();
  if (captures.length > 0) await rowlock.captures.apply();
  await rowlock.close();
}

/** As a deploy does, while workers and producers of the frozen version go on. */
async function upgrade<Tx>(system: System<Tx>, url: string): Promise<void> {
  const plain = await system.connect(url);
  for (let done = 0; done < DONE_BEFORE; await sleep(50)) {
    const [row] = await plain.ask(
      `SELECT COUNT(*) AS done FROM ${system.jobTable} WHERE status = 'complete'`,
    );
    done = Number(row?.done);
  }
  await plain.end();
  await migrate(system, url, CAPTURES);
}
