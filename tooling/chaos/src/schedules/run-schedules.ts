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
  /** Whether all of the time has passed. Otherwise nothing is checked. */
  readonly isOver: boolean;
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
const STRIKE_MS = [300, 3_000] as const;

/** A busy machine may take so many times as long, and a little more in milliseconds. Nets. */
const [MOST, DRAIN_MS] = [8, 120_000];

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
        tell(`${database}: ${result.days} days, ${result.ticks} ticks`);
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
  options: ScheduleRunOptions,
): Promise<ScheduleResult> {
  const { seed, workers, minutes, broken } = options;
  const { url, drop } = await server.fresh();
  const driver = system.driver(url, 4);
  const endMs = START_MS + minutes * 60_000 * SPEED;
  await prepare(driver);
  const orders = { database: system.name, url, broken: broken ?? null };
  const crew = await FiringCrew.start(workers, orders, seed);
  try {
    const { now } = await driver.schedules.find(['-']);
    crew.begin({ beganMs: now, startMs: START_MS, endMs, speed: SPEED });
    const struck = await strike(crew, driver, endMs, options);
    await crew.stop();
    const found = await readTicks(system, url);
    return {
      database: system.name,
      days: Math.round((endMs - START_MS) / 86_400_000),
      ticks: found.reduce((sum, { jobs }) => sum + jobs, 0),
      ...{ ...struck, started: crew.started, deaths: crew.deaths },
      violations: struck.isOver ? checkTicks(SCHEDULES, found, START_MS, endMs) : [],
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

/** Kills until all ticks have come, or far too much time has passed. */
async function strike<Tx>(
  crew: FiringCrew,
  { schedules }: Driver<Tx>,
  endMs: number,
  { seed, minutes, stopping }: ScheduleRunOptions,
): Promise<Pick<ScheduleResult, 'killed' | 'isOver'>> {
  const random = new Random(seed, 'times');
  const net = performance.now() + MOST * minutes * 60_000 + DRAIN_MS;
  for (let killed = 0; ; killed += crew.strike()) {
    const found = await schedules.find({ beyond: '' });
    const isOver = found.schedules.every(({ nextAt }) => nextAt === null || nextAt > endMs);
    if (isOver || stopping.aborted || performance.now() > net) return { killed, isOver };
    await sleep(random.whole(...STRIKE_MS), undefined, { signal: stopping }).catch(() => {});
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
