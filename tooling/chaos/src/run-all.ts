import { type Result, runCell } from './cell.js';
import type { Fault } from './fault.js';
import { FAULTS } from './faults/index.js';
import { isTimed } from './limits.js';
import type { Mode } from './mode.js';
import type { Options } from './options.js';
import type { DatabaseName } from './system.js';
import { withSystem } from './systems.js';

/** Settling, checking, starting: beside a fault's own seconds. */
const BESIDE_SECONDS = 12;

/** How much of the time each database has for the faults whose recovery is measured. */
const TIMED_SHARE = 0.2;

/**
 * Each fault after the other, both databases side by side; but where recovery is measured, one at a time and without the other
 * modes, so that they do not take the processors from each other.
 */
export async function runAll(
  options: Options,
  stopping: AbortSignal,
  tell: (line: string) => void,
): Promise<Result[]> {
  const began = performance.now();
  const lanes: Result[][] = [];
  const timed = cellsOf(options, isTimed);
  for (const database of timed.length === 0 ? [] : options.databases) {
    const minutes = options.minutes * TIMED_SHARE;
    lanes.push(await runLane(database, timed, { ...options, minutes }, stopping, tell));
  }
  const others = cellsOf(options, (fault, mode) => !isTimed(fault, mode));
  if (others.length > 0) {
    const minutes = Math.max(0, options.minutes - (performance.now() - began) / 60_000);
    const rest = { ...options, minutes };
    const all = options.databases.map((database) => runLane(database, others, rest, stopping, tell));
    lanes.push(...(await Promise.all(all)));
  }
  return FAULTS.flatMap(({ name }) => lanes.flatMap((lane) => lane.filter(({ fault }) => fault === name)));
}

/** A fault, and the modes that it strikes at one time. */
interface Cell {
  readonly fault: string;
  readonly modes: readonly Mode[];
}

/** What was asked for, as far as it is chosen. */
function cellsOf(
  { faults, modes }: Options,
  isChosen: (fault: string, mode: Mode) => boolean,
): readonly Cell[] {
  const cells = faults.map((fault) => ({ fault, modes: modes.filter((mode) => isChosen(fault, mode)) }));
  return cells.filter((cell) => cell.modes.length > 0);
}

async function runLane(
  database: DatabaseName,
  cells: readonly Cell[],
  { seed, workers, minutes }: Options,
  stopping: AbortSignal,
  tell: (line: string) => void,
): Promise<Result[]> {
  const modesOf = new Map(cells.map(({ fault, modes }) => [fault, modes]));
  const { possible, left } = faultsOf(database, [...modesOf.keys()]);
  for (const { name, why } of left) tell(`${database}: ${name} is left out: ${why}`);
  const until = performance.now() + minutes * 60_000;
  const server = await withSystem(database, (system) => system.startServer());
  const results: Result[] = [];
  try {
    for (const [place, fault] of possible.entries()) {
      if (stopping.aborted) break;
      const began = performance.now();
      // On a slow machine the rest is shortened, so that all of it ends in time.
      const factor = (until - began) / 1_000 / wanted(possible.slice(place));
      const seconds = fault.seconds * Math.min(1, Math.max(0.1, factor));
      const cell = { seed, workers, modes: modesOf.get(fault.name) ?? [], seconds, stopping };
      const found = await withSystem(database, (system) => runCell(system, server, fault, cell));
      results.push(...found);
      tell(
        `${database}: ${fault.name}: ${found.map(summary).join('; ')}; ${((performance.now() - began) / 1_000).toFixed(0)} s`,
      );
    }
  } finally {
    await server.stop();
  }
  return results;
}

function faultsOf(database: DatabaseName, names: readonly string[]) {
  const chosen = FAULTS.filter(({ name }) => names.includes(name));
  return {
    possible: chosen.filter(({ not }) => not?.[database] === undefined),
    left: chosen.flatMap(({ name, not }) =>
      not?.[database] === undefined ? [] : [{ name, why: not[database] }],
    ),
  };
}

function wanted(faults: readonly Fault[]): number {
  return faults.reduce((sum, { seconds }) => sum + seconds + BESIDE_SECONDS, 0);
}

function summary({ mode, jobs, violations }: Result): string {
  return `${mode} ${jobs} jobs, ${violations.length === 0 ? 'clean' : `${violations.length} violations`}`;
}
