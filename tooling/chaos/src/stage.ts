import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock } from '@rowlock/core';
import type { Break } from './broken-driver.js';
import { Crew, through } from './crew.js';
import { HistoryFile } from './history/history-file.js';
import type { Tables } from './history/tables.js';
import { ENTITIES, entityName, Load } from './load.js';
import type { Mode } from './mode.js';
import { Random } from './random.js';
import type { Plain, Server, System } from './system.js';
import { startProxy, type TcpProxy } from './tcp-proxy.js';
import { handlers } from './work.js';

export interface StageOptions {
  readonly modes: readonly Mode[];
  readonly seed: number;
  readonly proxied: boolean;
  readonly clocksMs?: readonly number[];
  /** Whether the disk can be full. */
  readonly disk?: boolean;
  readonly broken?: Break;
  readonly workMs?: readonly [number, number];
  /** Jobs a second and mode. */
  readonly rate?: number;
  /** Workers a mode. */
  readonly workers?: number;
  /** How long what is left may take when the faults are over, in milliseconds: what takes longer counts as lost. */
  readonly drainMs?: number;
}

/** Runs at once of each worker. */
const CONCURRENCY = 4;

/** A net. */
const DRAIN_MS = 60_000;

/** One database with a crew at work and a load on it, and what faults reach for. */
export class Stage<Tx> {
  private constructor(
    readonly system: System<Tx>,
    readonly server: Server,
    readonly crew: Crew,
    readonly history: HistoryFile,
    readonly modes: readonly Mode[],
    /** Where the history is. */
    readonly folder: string,
    /** The producers' way to the server, where there are proxies. */
    readonly producers: TcpProxy | null,
    readonly loads: readonly Load<Tx>[],
    readonly url: () => string,
    readonly drop: () => Promise<void>,
    readonly drainMs: number,
  ) {}

  static async set<Tx>(system: System<Tx>, server: Server, options: StageOptions): Promise<Stage<Tx>> {
    const { modes, seed, proxied, workMs = [20, 250], rate = 25, workers = 3, drainMs = DRAIN_MS } = options;
    const fresh = await server.fresh();
    const folder = mkdtempSync(join(tmpdir(), 'rowlock-chaos-history-'));
    const history = new HistoryFile(folder, 'conductor');
    await prepare(system, fresh.url, options);
    const producers = proxied ? await startProxy(() => server) : null;
    const crew = await Crew.hire(history, {
      ...{ database: system.name, url: fresh.url, server: () => server, folder, modes, proxied, workers },
      concurrency: CONCURRENCY,
      clocksMs: options.clocksMs ?? [0],
      broken: options.broken ?? null,
    });
    const url = producers === null ? fresh.url : through(producers, fresh.url);
    const loads = modes.map(
      (mode) => new Load(system, history, new Random(seed, `load ${mode}`), { mode, url, rate, workMs }),
    );
    for (const load of loads) load.start();
    const now = (): string => through(server, fresh.url);
    return new Stage(
      system,
      server,
      crew,
      history,
      modes,
      folder,
      producers,
      loads,
      now,
      fresh.drop,
      drainMs,
    );
  }

  /** Says it in the history: what a fault does, and when. */
  tell(fault: string, does: string): void {
    this.history.write({ what: 'strike', fault, does });
  }

  /** Does something with a plain connection of its own, past all proxies. */
  async plainly<Result>(work: (plain: Plain<Tx>) => Promise<Result>): Promise<Result> {
    const plain = await this.system.connect(this.url());
    try {
      return await work(plain);
    } finally {
      await plain.end();
    }
  }

  /** Ends the load, waits until everything is settled, stops the crew, and returns what the tables hold. */
  async settle(): Promise<Tables> {
    await Promise.all(this.loads.map((load) => load.stop()));
    const until = performance.now() + this.drainMs;
    while ((await this.#outstanding()) > 0 && performance.now() < until) await sleep(100);
    await this.crew.stop();
    return this.plainly((plain) => this.system.readTables(plain));
  }

  async clear(): Promise<void> {
    await Promise.all(this.loads.map((load) => load.stop()));
    await this.crew.stop();
    await Promise.all(this.loads.map((load) => load.close()));
    await this.producers?.close();
    this.history.close();
    await this.drop();
  }

  /** Of a history that nobody needs. */
  forget(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #outstanding(): Promise<number> {
    return this.plainly(async ({ ask }) => {
      const sql = `SELECT COUNT(*) AS jobs FROM ${this.system.jobTable} WHERE status IN ('new', 'in-progress')`;
      const [row] = await ask(sql);
      return Number(row?.jobs);
    }).catch(() => Number.POSITIVE_INFINITY);
  }
}

async function prepare<Tx>(
  system: System<Tx>,
  url: string,
  { modes, disk = false }: StageOptions,
): Promise<void> {
  const rowlock = createRowlock<Tx>({ driver: system.driver(url, 2), handlers: handlers('hold', system) });
  await rowlock.migrate();
  await rowlock.close();
  const plain = await system.connect(url);
  const statements = [...system.applicationTables, 'INSERT INTO chaos_disk VALUES (0)'];
  for (const statement of [...statements, ...(disk ? system.fullDisk : [])]) await plain.ask(statement);
  for (const mode of modes) {
    const names = Array.from({ length: ENTITIES }, (_, number) => entityName(mode, number));
    await plain.ask(`INSERT INTO chaos_entity (name) VALUES ${names.map(() => '(?)').join(', ')}`, names);
  }
  await plain.end();
}
