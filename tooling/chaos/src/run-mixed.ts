import { setTimeout as sleep } from 'node:timers/promises';
import { judge, type Result } from './cell.js';
import type { Fault } from './fault.js';
import { FAULTS } from './faults/index.js';
import { installFrozen } from './frozen.js';
import type { Options } from './options.js';
import { type Planned, plan } from './plan.js';
import { Random } from './random.js';
import { type Settled, type Stage, setStage } from './stage.js';
import type { DatabaseName, Server, System } from './system.js';
import { withSystem } from './systems.js';

const HOUR_MS = 3_600_000;

/** All faults on one stage, as planned, for as long as was asked for; both databases side by side. */
export async function runMixed(
  options: Options,
  stopping: AbortSignal,
  tell: (line: string) => void,
): Promise<Result[]> {
  const lanes = options.databases.map((database) =>
    withSystem(database, (system) => runLane(system, options, stopping, tell)),
  );
  return (await Promise.all(lanes)).flat();
}

async function runLane<Tx>(
  system: System<Tx>,
  options: Options,
  stopping: AbortSignal,
  tell: (line: string) => void,
): Promise<Result[]> {
  const server = await system.startServer();
  try {
    return await runOn(system, server, options, stopping, (line) => tell(`${system.name}: ${line}`));
  } finally {
    await server.stop();
  }
}

async function runOn<Tx>(
  system: System<Tx>,
  server: Server,
  { seed, modes, workers, faults, minutes, together }: Options,
  stopping: AbortSignal,
  tell: (line: string) => void,
): Promise<Result[]> {
  const clocksMs = [HOUR_MS, -HOUR_MS, 0];
  const frozen = together ? await installFrozen() : null;
  const shared = { modes, seed, workers, clocksMs, frozen };
  const stage = await setStage(system, server, { ...shared, proxied: true, disk: true });
  let settled: Settled;
  try {
    const planned = plan(seed, faultsOf(system.name, faults), minutes);
    const began = performance.now();
    // One after the other at each place: the end of a fault may take longer than was planned.
    const strikeAll = async (at: Fault['at']): Promise<void> => {
      for (const [place, each] of planned.entries()) {
        if (each.fault.at !== at) continue;
        await asleep(began + each.atMs - performance.now(), stopping);
        if (stopping.aborted) return;
        await strike(stage, each, new Random(seed, `strike ${place}`), stopping, began, tell);
      }
    };
    await Promise.all([strikeAll('server'), strikeAll('workers')]);
    await asleep(began + minutes * 60_000 - performance.now(), stopping);
    tell('the faults are over; settling what is left …');
    settled = await stage.settle();
  } finally {
    await stage.clear();
  }
  return judge(stage, settled, together ? 'together' : 'mixed');
}

async function strike<Tx>(
  stage: Stage<Tx>,
  { fault, forMs }: Planned,
  random: Random,
  stopping: AbortSignal,
  began: number,
  tell: (line: string) => void,
): Promise<void> {
  const time = new Date(performance.now() - began).toISOString().slice(11, 19);
  const jobs = stage.loads.map((load) => load.jobs).join(' and ');
  tell(`${time}  ${fault.name} for ${Math.round(forMs / 1_000)} s, after ${jobs} jobs`);
  stage.tell(fault.name, 'begins');
  const end = await fault.begin(stage, random);
  await asleep(forMs, stopping);
  await end();
  stage.tell(fault.name, 'has ended');
}

function faultsOf(database: DatabaseName, names: readonly string[]): Fault[] {
  return FAULTS.filter(({ name, not }) => names.includes(name) && not?.[database] === undefined);
}

async function asleep(ms: number, stopping: AbortSignal): Promise<void> {
  await sleep(Math.max(0, ms), undefined, { signal: stopping }).catch(() => {});
}
