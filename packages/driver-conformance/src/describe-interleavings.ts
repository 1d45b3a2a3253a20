import { afterAll, beforeAll, describe, expect, type MockInstance, test, vi } from 'vitest';
import type { DriverUnderTest } from './describe-driver.js';
import type { DriverHarness, TestDatabase } from './driver-harness.js';
import { following } from './interleave/director.js';
import { atMost, explore, search } from './interleave/explore.js';
import { knownFaults } from './interleave/known-faults.js';
import { type Played, play } from './interleave/play.js';
import type { Scenario } from './interleave/scenario.js';
import { scenarios } from './interleave/scenarios.js';
import { openScene, type Scene } from './interleave/scene.js';
import { swapOnce } from './interleave/swap.js';

/** Opening a server's first database may take its time. */
const OPEN_MS = 120_000;

/** Within how many orders each known fault must be found. How fast the machine is does not matter. */
const FAULT_BOUNDS = { orders: 2_000, ms: Number.POSITIVE_INFINITY };

/** How many orders are drawn by chance and compared with all. */
const DRAWN = 60;

/** For how long, in milliseconds, and how often each scenario is played to swap two of its steps. */
const SWAP_MS = 60_000;
const SWAP_ROUNDS = 40;

/** A net. */
const TEST_MS = 3_600_000;

/**
 * Small scenes of workers and producers, played in every order of their steps, or in a sample of them, and what must
 * hold after each. A driver's own test file calls this once.
 *
 * Read from the environment: `INTERLEAVE_ORDERS`, how many orders of a scenario at most, or `all`; `INTERLEAVE_SECONDS`, for
 * how long at most each; `INTERLEAVE_SEED`, which of them; `INTERLEAVE_SCHEDULE`, the one order to play again, of the
 * scenarios that the name filter leaves.
 */
export function describeInterleavings<Tx>({ name, open }: DriverUnderTest<Tx>): void {
  const { INTERLEAVE_ORDERS = '2', INTERLEAVE_SECONDS = 'all' } = process.env;
  const { INTERLEAVE_SEED = '1', INTERLEAVE_SCHEDULE } = process.env;
  const seed = Number(INTERLEAVE_SEED);
  const bounds = {
    orders: atMost('INTERLEAVE_ORDERS', INTERLEAVE_ORDERS),
    ms: atMost('INTERLEAVE_SECONDS', INTERLEAVE_SECONDS) * 1_000,
    seed,
  };

  describe(name, () => {
    let harness: DriverHarness<Tx> | undefined;
    let database: TestDatabase<Tx> | undefined;
    let opened: Scene<Tx> | undefined;
    let chance: MockInstance | undefined;

    beforeAll(async () => {
      // A worker's pauses have no chance either: which of them is over first is part of an order.
      chance = vi.spyOn(Math, 'random').mockReturnValue(0.5);
      harness = await open();
      database = await harness.database();
      opened = await openScene(database);
    }, OPEN_MS);

    afterAll(async () => {
      chance?.mockRestore();
      await opened?.close();
      await database?.close();
      await harness?.close();
    }, OPEN_MS);

    const scene = (): Scene<Tx> => {
      if (opened === undefined) throw new Error('There is no database.');
      return opened;
    };

    for (const scenario of Object.values<Scenario>(scenarios)) {
      test(scenario.name, { timeout: TEST_MS }, async () => {
        if (INTERLEAVE_SCHEDULE !== undefined) {
          const played = await play(scene(), scenario, following(INTERLEAVE_SCHEDULE));
          say(report(played));
          expect(played.violations).toEqual([]);
          return;
        }
        const started = performance.now();
        const explored = await explore(scene(), scenario, bounds);
        const seconds = ((performance.now() - started) / 1_000).toFixed(1);
        const { orders, complete, waits, violated } = explored;
        const some = complete ? 'these are all' : `of more, seed ${seed}`;
        say(
          `${name}: ${scenario.name}: ${orders} orders (${some}), ${waits} blocked steps, ${violated} violations, ${seconds} s`,
        );
        if (explored.found !== undefined) say(report(explored.found));
        expect(explored.found?.violations ?? []).toEqual([]);
        expect(orders).toBeGreaterThan(0);
        if (!complete) return;
        // What orders that are drawn by chance lead to, all that were chosen must have led to as well.
        const drawn = await search(scene(), scenario, { ...bounds, orders: Math.min(DRAWN, bounds.orders) });
        expect(drawn.violated).toBe(0);
        expect([...explored.fates]).toEqual(expect.arrayContaining([...drawn.fates]));
      });
    }

    // A round plays each scenario twice, which is as much as all else where a few orders are played of each.
    test.skipIf(bounds.orders < 4)('steps that are said to commute do', { timeout: TEST_MS }, async () => {
      const swapped = new Set<string>();
      const until = performance.now() + Math.min(SWAP_MS, bounds.ms * 4);
      let played = 0;
      for (let round = 0; round < Math.min(bounds.orders / 4, SWAP_ROUNDS); round++) {
        for (const scenario of Object.values<Scenario>(scenarios)) {
          if (performance.now() > until) break;
          expect(await swapOnce(scene(), scenario, seed + round, swapped), scenario.name).toEqual([]);
          played += 1;
        }
      }
      expect(played).toBeGreaterThan(0);
      say(`${name}: ${swapped.size} pairs of steps swapped in ${played} orders: ${[...swapped].join(', ')}`);
    });

    describe('finds, and can play again,', () => {
      for (const { name: fault, scenario, found, seed: own = seed, ...breakage } of knownFaults) {
        test(fault, { timeout: TEST_MS }, async () => {
          const explored = await search(scene(), scenario, { ...FAULT_BOUNDS, seed: own }, breakage);
          const result = explored.found === undefined ? 'NOT caught in' : 'caught in order';
          say(`${name}: ${fault}: ${result} ${explored.orders}\n${report(explored.found)}`);
          expect(explored.found?.violations.join('\n')).toMatch(found);
          const again = await play(scene(), scenario, following(explored.found?.schedule ?? ''), breakage);
          expect(again.violations).toEqual(explored.found?.violations);
        });
      }
    });
  });
}

function report(played: Played | undefined): string {
  if (played === undefined) return '';
  const { schedule, steps, violations } = played;
  const lines = [...violations.map((violation) => `! ${violation}`), `schedule ${schedule}`, ...steps];
  return lines.map((line) => `  ${line}`).join('\n');
}

/** Into the report of the run, past vitest's own. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
