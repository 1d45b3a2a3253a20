import { DatabaseAwayError } from '@rowlock/app-shared';
import type { Rowlock } from '@rowlock/core';
import express, { type Router } from 'express';
import type { SpreadsheetStore } from '../../data/spreadsheet-store.js';

const READY_WITHIN_MS = 3_000;
/** How long an answer holds for whoever asks next. */
const READY_FOR_MS = 1_000;

/** For whoever runs the process: is it alive, and can it serve? Workers and Google are not needed for that. */
export function healthRoutes<Tx>(rowlock: Rowlock<Tx>, store: SpreadsheetStore<Tx>): Router {
  const routes = express.Router();
  // Anybody may ask, as often as they like: however many do, the database is asked once.
  const ready = shared(READY_FOR_MS, () =>
    within(READY_WITHIN_MS, Promise.all([rowlock.insight.verify(), store.verify()])),
  );
  routes.get('/healthz', (_req, res) => {
    res.json({ status: 'alive' });
  });
  routes.get('/readyz', async (_req, res) => {
    await ready();
    res.json({ status: 'ready' });
  });
  return routes;
}

/** Gives everybody the same answer, until `ms` after it came. */
function shared(ms: number, look: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> | undefined;
  const forget = () =>
    setTimeout(() => {
      last = undefined;
    }, ms).unref();
  return () => {
    if (last === undefined) {
      last = look();
      last.then(forget, forget);
    }
    return last;
  };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DatabaseAwayError(`No answer within ${ms} ms.`)), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
