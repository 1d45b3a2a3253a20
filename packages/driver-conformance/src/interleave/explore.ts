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
  /** After how many orders with a violation to stop. */
  readonly enough: number;
  readonly twist?: Twist;
}

export interface Explored {
  readonly orders: number;
  /** Whether these were all. */
  readonly complete: boolean;
  /** In how many of them something was violated. */
  readonly violated: number;
  /** The first of those. */
  readonly found: Played | undefined;
}

/** Runs a scenario in one order after another, each once, until all have been run, or enough, or something is found. */
export async function explore<Tx>(
  scene: Scene<Tx>,
  scenario: Scenario,
  { orders, seed, enough, twist }: ExploreOptions,
): Promise<Explored> {
  const tree = new ScheduleTree(seeded(seed));
  let played = 0;
  let violated = 0;
  let found: Played | undefined;
  while (played < orders && violated < enough && !tree.complete) {
    tree.begin();
    const one = await play(scene, scenario, tree, twist);
    tree.end();
    if (one.abandoned) continue;
    played += 1;
    if (one.violations.length === 0) continue;
    violated += 1;
    found ??= one;
  }
  return { orders: played, complete: tree.complete, violated, found };
}
