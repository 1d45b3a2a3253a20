import { setTimeout as sleep } from 'node:timers/promises';
import { isDriverError } from '@rowlock/core';
import type { Logger } from 'pino';
import { DatabaseAwayError } from './database-away.js';

/** Tries again each second while the database cannot be reached; every other error is thrown. */
export async function startWhenPossible(log: Logger, start: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof DatabaseAwayError) && !isDriverError(error, 'ConnectionLost')) throw error;
      log.warn({ err: error }, 'the database cannot be reached; trying again in a second');
      await sleep(1_000);
    }
  }
}
