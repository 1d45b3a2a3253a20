import type { Rowlock } from '@rowlock/core';
import { CreateSpreadsheet } from '@rowlock/plugin-google-sheets';
import type { SpreadsheetStore } from '../../data/spreadsheet-store.js';
import type { Snapshot } from './picture-feed.js';

/** How many requests the picture shows. */
const BOXES = 150;

/** Reads all that the lock picture shows, without locking anything. */
export async function look<Tx>(rowlock: Rowlock<Tx>, store: SpreadsheetStore<Tx>): Promise<Snapshot> {
  const [{ jobs, cursor }, workers] = await Promise.all([
    rowlock.jobs.list({ queue: CreateSpreadsheet.queue, limit: BOXES }),
    rowlock.insight.workers(),
  ]);
  const keys = new Set(jobs.flatMap(({ key }) => key ?? []));
  return { jobs, hasOlder: cursor !== null, workers, labels: await store.labels([...keys]) };
}
