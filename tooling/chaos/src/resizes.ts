import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock } from '@rowlock/core';
import { again } from './again.js';
import type { HistoryFile } from './history/history-file.js';
import type { Random } from './random.js';
import { LIMIT_NAMES, LIMITS } from './slots.js';
import type { System } from './system.js';
import { codeOf } from './work.js';

const PAUSE_MS = 200;

/** The server may be away. */
const CLOSE_MS = 5_000;

/** Gives one limit after the other another size, until the returned function is called. */
export function startResizes<Tx>(
  system: System<Tx>,
  url: string,
  history: HistoryFile,
  random: Random,
): () => Promise<void> {
  const client = createRowlock<Tx>({
    driver: system.driver(url, 2),
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  const end = again(
    () => PAUSE_MS,
    async () => {
      const name = random.pick(LIMIT_NAMES);
      const max = random.whole(1, 2 * LIMITS[name]);
      history.write({ what: 'resizing', name, max });
      try {
        await client.limits.set(name, { max });
        history.write({ what: 'resized', name });
      } catch (error) {
        history.write({ what: 'resize doubted', name, error: codeOf(error) });
      }
    },
  );
  return async () => {
    await end();
    await Promise.race([client.close().catch(() => {}), sleep(CLOSE_MS, undefined, { ref: false })]);
  };
}
