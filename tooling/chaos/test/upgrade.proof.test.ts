import { expect, test } from 'vitest';
import { runCell } from '../src/cell.js';
import type { Fault } from '../src/fault.js';
import { installFrozen } from '../src/frozen.js';
import { MODES } from '../src/mode.js';
import { DATABASES } from '../src/system.js';
import { withSystem } from '../src/systems.js';

// A net: on a busy machine many processes take long to start.
const NET = { timeout: 900_000 };

const calm: Fault = {
  ...{ name: 'upgrade', needs: [], at: 'always', seconds: 8 },
  begin: async () => async () => {},
};

/**
 * The frozen version, from its archives, makes the tables and begins to work. This one migrates meanwhile, and both go on side by side:
 * holds, leases and batches, limits and rates, captures, schedules, pauses, and updates of metadata.
 */
test.concurrent.each(DATABASES)(
  'workers of the last frozen version go on over a migration, on %s',
  NET,
  async (name) => {
    const frozen = await installFrozen();
    const results = await withSystem(name, async (system) => {
      const server = await system.startServer();
      try {
        const shared = { modes: MODES, workers: 2, seconds: calm.seconds, seed: 1, frozen };
        return await runCell(system, server, calm, { ...shared, stopping: new AbortController().signal });
      } finally {
        await server.stop();
      }
    });
    expect(results.map(({ mode }) => mode)).toEqual([...MODES, 'subjects']);
    for (const { violations, jobs } of results) {
      expect(violations).toEqual([]);
      expect(jobs).toBeGreaterThan(0);
    }
  },
);
