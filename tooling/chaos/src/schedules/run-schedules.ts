import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock, type Driver } from '@rowlock/core';
import { instead } from '../instead.js';
import type { Options } from '../options.js';
import { Random } from '../random.js';
import type { DatabaseName, Server, System } from '../system.js';
import { withSystem } from '../systems.js';
import type { BrokenFiring } from './broken-firing.js';
import { checkTicks, type TickViolation } from './check-ticks.js';
import { FiringCrew } from './firing-crew.js';
import { declared, SCHEDULES } from './simulated-schedules.js';

/** What a simulated time of schedules proved. */
export interface ScheduleResult {
  readonly database: DatabaseName;
  readonly days: number;
  readonly ticks: number;
  readonly started: number;
  readonly killed: number;
  readonly violations: readonly TickViolation[];
  /** How processes ended that nobody had killed or stopped. */
  readonly deaths: readonly string[];
}

export interface ScheduleRunOptions extends Pick<Options, 'seed' | 'workers' | 'minutes'> {
  readonly broken?: BrokenFiring;
  readonly stopping: AbortSignal;
}

/** Some days before the clocks of New York, Casablanca, Berlin, Lord Howe Island and Santiago change. */
const START_MS = Date.parse('2024-03-08T00:00Z');

/** A year in ten minutes. */
const SPEED = (365 * 24 * 60) / 10;

/** The time between two strikes, in milliseconds. */
const STRIKE_MS = [200, 2_000] as const;

/** How long the last ticks may take when nobody is killed any more, in milliseconds. A net. */
const DRAIN_MS = 120_000;

/** Both databases side by side. */
export async function runSchedules(
  { databases, ...options }: Options,
  stopping: AbortSignal,
  tell: (line: string) => void,
): Promise<ScheduleResult[]> {
  const lanes = databases.map((database) =>
    withSystem(database, async (system) => {
      const server = await system.startServer();
      try {
        const result = await fireOn(system, server, { ...options, stopping });
        tell(`${database}: ${result.days} days with ${result.ticks} ticks are fired and checked`);
        return result;
      } finally {
        await server.stop();
      }
    }),
  );
  return Promise.all(lanes);
}

/** Lets processes fire the schedules of a simulated time, kills some all the while, and checks all ticks in the end. */
export async function fireOn<Tx>(
  system: System<Tx>,
  server: Server,
  { seed, workers, minutes, broken, stopping }: ScheduleRunOptions,
): Promise<ScheduleResult> {
  const { url, drop } = await server.fresh();
  const driver = system.driver(url, 4);
  const endMs = START_MS + minutes * 60_000 * SPEED;
  await prepare(driver);
  const orders = { database: system.name, url, broken: broken ?? null };
  const crew = await FiringCrew.start(workers, orders, seed);
  try {
    const { now } = await driver.schedules.find(['-']);
    crew.begin({ beganMs: now, startMs: START_MS, endMs, speed: SPEED });
    const killed = await strike(crew, new Random(seed, 'times'), minutes * 60_000, stopping);
    await fired(driver, endMs, stopping);
    await crew.stop();
    const found = await readTicks(system, url);
    return {
      database: system.name,
      days: Math.round((endMs - START_MS) / 86_400_000),
      ticks: found.reduce((sum, { jobs }) => sum + jobs, 0),
      ...{ started: crew.started, killed, deaths: crew.deaths },
      violations: checkTicks(SCHEDULES, found, START_MS, endMs),
    };
  } finally {
    await crew.stop();
    await driver.close();
    await drop();
  }
}

/** Writes the schedules as of the start of the simulated time. */
async function prepare<Tx>(driver: Driver<Tx>): Promise<void> {
  const schedules = instead(() => driver.schedules, {
    find: async (names) => ({ ...(await driver.schedules.find(names)), now: START_MS }),
  });
  const rowlock = createRowlock<Tx>({ driver: instead(() => driver, { schedules }) });
  await rowlock.migrate();
  for (const [name, schedule] of Object.entries(declared(1))) await rowlock.schedules.set(name, schedule);
}

async function strike(
  crew: FiringCrew,
  random: Random,
  forMs: number,
  stopping: AbortSignal,
): Promise<number> {
  const until = performance.now() + forMs;
  let killed = 0;
  for (;;) {
    const next = performance.now() + random.whole(...STRIKE_MS);
    await sleep(Math.max(0, Math.min(next, until) - performance.now()), undefined, {
      signal: stopping,
    }).catch(() => {});
    if (next > until || stopping.aborted) return killed;
    killed += crew.strike();
  }
}

/** Waits until all ticks have come. */
async function fired<Tx>({ schedules }: Driver<Tx>, endMs: number, stopping: AbortSignal): Promise<void> {
  const net = performance.now() + DRAIN_MS;
  while (performance.now() < net && !stopping.aborted) {
    const found = await schedules.find();
    if (found.schedules.every(({ nextAt }) => nextAt === null || nextAt > endMs)) return;
    await sleep(100);
  }
}

/** Past Rowlock, by the plain client. */
async function readTicks<Tx>(system: System<Tx>, url: string) {
  const plain = await system.connect(url);
  try {
    const rows = await plain.ask(system.ticks);
    return rows.map(({ schedule, at, jobs }) => ({
      schedule: String(schedule),
      atMs: Date.parse(String(at)),
      jobs: Number(jobs),
    }));
  } finally {
    await plain.end();
  }
}
