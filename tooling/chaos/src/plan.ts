import type { Fault } from './fault.js';
import { Random } from './random.js';

/** When a fault of the mixed run begins, and how long it lasts, in milliseconds. */
export interface Planned {
  readonly fault: Fault;
  readonly atMs: number;
  readonly forMs: number;
}

/** The calm between two faults of one hand, and the shortest fault, in milliseconds. */
const CALM_MS = [500, 5_000] as const;
const SHORTEST_MS = 4_000;

/**
 * The faults in a random order, again and again, for so long. Those at the server follow each other, and those at the workers
 * and their network do; the two rows go on side by side, so that one of each meets one of the other.
 */
export function plan(seed: number, faults: readonly Fault[], minutes: number): Planned[] {
  const endMs = minutes * 60_000;
  return (['server', 'workers'] as const)
    .flatMap((at) =>
      row(
        new Random(seed, `plan ${at}`),
        faults.filter((fault) => fault.at === at),
        endMs,
      ),
    )
    .sort((a, b) => a.atMs - b.atMs);
}

function row(random: Random, faults: readonly Fault[], endMs: number): Planned[] {
  const planned: Planned[] = [];
  let atMs = random.whole(...CALM_MS);
  while (faults.length > 0) {
    for (const fault of random.shuffled(faults)) {
      // A short run has some of each, too.
      const forMs = Math.min(random.whole(SHORTEST_MS, fault.seconds * 1_000), endMs / 4);
      if (atMs + forMs > endMs) return planned;
      planned.push({ fault, atMs, forMs });
      atMs += forMs + random.whole(...CALM_MS);
    }
  }
  return planned;
}
