import { seeded } from '../random.js';
import { type Played, play } from './play.js';
import type { Scenario } from './scenario.js';
import type { Scene } from './scene.js';
import { ScheduleTree } from './schedule-tree.js';
import type { Twist } from './twist.js';

export interface ExploreOptions {
  /** How many orders to run at most. */
  readonly orders: number;
  readonly seed: number;
  readonly twist?: Twist;
}

export interface Explored {
  readonly orders: number;
  /** Whether these were all. */
  readonly complete: boolean;
  /** The first order in which something was violated. */
  readonly found: Played | undefined;
}

/** Runs a scenario in one order after another, each once, until all have been run, or enough, or something is found. */
export async function explore<Tx>(
  scene: Scene<Tx>,
  scenario: Scenario,
  { orders, seed, twist }: ExploreOptions,
): Promise<Explored> {
  const tree = new ScheduleTree(seeded(seed));
  let played = 0;
  while (played < orders && !tree.complete) {
    tree.begin();
    const one = await play(scene, scenario, tree, twist);
    tree.end();
    if (one.abandoned) continue;
    played += 1;
    if (one.violations.length > 0) return { orders: played, complete: false, found: one };
  }
  return { orders: played, complete: tree.complete, found: undefined };
}
