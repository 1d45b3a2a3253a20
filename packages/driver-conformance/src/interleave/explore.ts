import { seeded } from '../random.js';
import type { Breakage } from './breakage.js';
import { wandering } from './director.js';
import { type Played, play } from './play.js';
import type { Scenario } from './scenario.js';
import type { Scene } from './scene.js';
import { ScheduleTree } from './schedule-tree.js';

/** How much of a scenario to run. */
export interface Bounds {
  /** How many orders at most. */
  readonly orders: number;
  /** For how long at most, in milliseconds. */
  readonly ms: number;
  readonly seed: number;
}

export interface Explored {
  readonly orders: number;
  /** Whether these were all. */
  readonly complete: boolean;
  /** How many steps waited for a lock. */
  readonly waits: number;
  /** In how many orders something was violated. */
  readonly violated: number;
  /** The first of those. */
  readonly found: Played | undefined;
  /** All that became of the jobs, in one order or another. */
  readonly fates: ReadonlySet<string>;
}

/** After so many orders with a violation it is enough. */
const MOST_VIOLATED = 10;

/** More than a few orders are not broken off in a row, unless something is wrong with their choice. */
const MOST_ABANDONED = 1_000;

/** @throws when it is neither a number above zero nor `all`. */
export function atMost(variable: string, given: string): number {
  const most = given === 'all' ? Number.POSITIVE_INFINITY : Number(given);
  if (most > 0) return most;
  throw new Error(`${variable} must be a number above zero or "all", not ${JSON.stringify(given)}.`);
}

/** Runs a scenario in one order after another, each once, until all have been run, or as many as the bounds let. */
export async function explore<Tx>(scene: Scene<Tx>, scenario: Scenario, bounds: Bounds): Promise<Explored> {
  const tree = new ScheduleTree(seeded(bounds.seed));
  const pass = async (): Promise<Played> => {
    tree.begin();
    const played = await play(scene, scenario, tree);
    tree.end();
    return played;
  };
  const explored = await playOn(pass, bounds, MOST_VIOLATED, () => tree.complete);
  return { ...explored, complete: tree.complete };
}

/**
 * Runs a scenario until a violation is found, as is to be expected with something broken. The orders are drawn by chance:
 * that leads to faults sooner than one order after another, which differ by little.
 */
export function search<Tx>(
  scene: Scene<Tx>,
  scenario: Scenario,
  bounds: Bounds,
  breakage: Breakage = {},
): Promise<Explored> {
  const random = seeded(bounds.seed);
  return playOn(
    () => play(scene, scenario, wandering(random), breakage),
    bounds,
    1,
    () => false,
  );
}

/** Plays one order after another, as far as the bounds let. @throws when none comes to its end any more. */
export async function playOn(
  pass: () => Promise<Played>,
  { orders, ms }: Bounds,
  mostViolated: number,
  isComplete: () => boolean,
): Promise<Explored> {
  const until = performance.now() + ms;
  let [played, violated, waits] = [0, 0, 0];
  let abandoned = 0;
  let found: Played | undefined;
  const fates = new Set<string>();
  while (played < orders && violated < mostViolated && !isComplete() && performance.now() < until) {
    const one = await pass();
    if (one.abandoned) {
      abandoned += 1;
      if (abandoned === MOST_ABANDONED)
        throw new Error(`After ${played} orders ${abandoned} in a row were broken off.`);
      continue;
    }
    abandoned = 0;
    played += 1;
    waits += one.waits;
    fates.add(one.fates.join('; '));
    if (one.violations.length === 0) continue;
    violated += 1;
    found ??= one;
  }
  return { orders: played, complete: false, waits, violated, found, fates };
}
