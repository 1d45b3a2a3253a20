import { expect } from 'vitest';
import type { TestDatabase } from './driver-harness.js';
import { until } from './until.js';

/** That nothing is left open. The server notices the end of a connection a little after the client. */
export async function noLeaks<Tx>(database: TestDatabase<Tx>): Promise<void> {
  let leaks: readonly string[] = [];
  const look = async (): Promise<boolean> => {
    leaks = await database.leaks();
    return leaks.length === 0;
  };
  await until('nothing is left open', look).catch((error: unknown) => {
    expect(leaks, 'transactions or connections that the test left open').toEqual([]);
    throw error;
  });
}
