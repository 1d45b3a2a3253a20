import type { Rowlock } from '@rowlock/core';
import express, { type Router } from 'express';
import { DatabaseAwayError } from '../../data/database-away.js';
import type { SpreadsheetStore } from '../../data/spreadsheet-store.js';

const READY_WITHIN_MS = 3_000;

/** For whoever runs the process: is it alive, and can it serve? Workers and Google are not needed for that. */
export function healthRoutes<Tx>(rowlock: Rowlock<Tx>, store: SpreadsheetStore<Tx>): Router {
  const routes = express.Router();
  routes.get('/healthz', (_req, res) => {
    res.json({ status: 'alive' });
  });
  routes.get('/readyz', async (_req, res) => {
    await within(READY_WITHIN_MS, Promise.all([rowlock.verify(), store.verify()]));
    res.json({ status: 'ready' });
  });
  return routes;
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DatabaseAwayError(`No answer within ${ms} ms.`)), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
