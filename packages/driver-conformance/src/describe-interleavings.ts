import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DriverUnderTest } from './describe-driver.js';
import type { DriverHarness, TestDatabase } from './driver-harness.js';
import { following } from './interleave/director.js';
import { explore } from './interleave/explore.js';
import { knownFaults } from './interleave/known-faults.js';
import { type Played, play } from './interleave/play.js';
import type { Scenario } from './interleave/scenario.js';
import { scenarios } from './interleave/scenarios.js';
import { openScene, type Scene } from './interleave/scene.js';

/** Opening a server's first database may take its time. */
const OPEN_MS = 120_000;

/** Within how many orders each known fault must be found. */
const FAULT_ORDERS = 2_000;

/** A net. */
const TEST_MS = 3_600_000;

/**
 * Small scenes of workers and producers, played in every order of their steps, or in a sample of them, and what must
 * hold after each. A driver's own test file calls this once.
 *
 * Read from the environment: `INTERLEAVE_ORDERS`, how many orders of a scenario at most, or `all`; `INTERLEAVE_SEED`,
 * which of them; `INTERLEAVE_SCHEDULE`, the one order to play again, of the scenarios that the name filter leaves.
 */
export function describeInterleavings<Tx>({ name, open }: DriverUnderTest<Tx>): void {
  const { INTERLEAVE_ORDERS = '10', INTERLEAVE_SEED = '1', INTERLEAVE_SCHEDULE } = process.env;
  const orders = INTERLEAVE_ORDERS === 'all' ? Number.POSITIVE_INFINITY : Number(INTERLEAVE_ORDERS);
  const seed = Number(INTERLEAVE_SEED);

  describe(name, () => {
    let harness: DriverHarness<Tx> | undefined;
    let database: TestDatabase<Tx> | undefined;
    let opened: Scene<Tx> | undefined;

    beforeAll(async () => {
      harness = await open();
      database = await harness.database();
      opened = await openScene(database);
    }, OPEN_MS);

    afterAll(async () => {
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
          say(told(played));
          expect(played.violations).toEqual([]);
          return;
        }
        const started = performance.now();
        const explored = await explore(scene(), scenario, { orders, seed, enough: 10 });
        const seconds = ((performance.now() - started) / 1_000).toFixed(1);
        const some = explored.complete ? 'all' : `of more, seed ${seed}`;
        const found = `${explored.violated} violations`;
        say(`${name}: ${scenario.name}: ${explored.orders} orders (${some}), ${found}, ${seconds} s`);
        if (explored.found !== undefined) say(told(explored.found));
        expect(explored.found?.violations ?? []).toEqual([]);
      });
    }

    describe('finds, and can play again,', () => {
      for (const { name: fault, scenario, found, ...twist } of knownFaults) {
        test(fault, { timeout: TEST_MS }, async () => {
          const explored = await explore(scene(), scenario, { orders: FAULT_ORDERS, seed, enough: 1, twist });
          say(`${name}: ${fault}: found in order ${explored.orders}\n${told(explored.found)}`);
          expect(explored.found?.violations.join('\n')).toMatch(found);
          const again = await play(scene(), scenario, following(explored.found?.schedule ?? ''), twist);
          expect(again.violations).toEqual(explored.found?.violations);
        });
      }
    });
  });
}

function told(played: Played | undefined): string {
  if (played === undefined) return '';
  const { schedule, steps, violations } = played;
  const lines = [...violations.map((violation) => `! ${violation}`), `schedule ${schedule}`, ...steps];
  return lines.map((line) => `  ${line}`).join('\n');
}

/** Into the report of the run, past vitest's own. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
