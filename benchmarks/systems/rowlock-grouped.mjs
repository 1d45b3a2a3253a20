// Rowlock with keys and groups, for the contention: what a run does takes a moment, and a run takes all requests of its key.
import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock, defineHandler } from '@rowlock/core';
import { z } from 'zod';
import { DRIVERS } from './rowlock.mjs';

export async function open({ database, url, concurrency, workMs }) {
  const Update = defineHandler({
    kind: 'update',
    payload: z.number(),
    group: true,
    run: () => sleep(workMs),
  });
  const rowlock = createRowlock({ driver: DRIVERS[database](url), handlers: [Update] });
  await rowlock.migrate();
  const told = { runs: 0, blocked: 0, faults: [], lost: 0 };
  let worker;
  return {
    /** Enqueues one request after the other, at so many a second, each of the next key. */
    async offer({ requests, keys, perSecond }) {
      const times = [];
      const begin = performance.now();
      for (let request = 0; request < requests; request++) {
        const waitMs = begin + (request * 1000) / perSecond - performance.now();
        if (waitMs > 1) await sleep(waitMs);
        const at = performance.now();
        await rowlock.enqueue(Update, { key: `key-${request % keys}`, payload: request });
        times.push(performance.now() - at);
      }
      return times;
    },
    async start() {
      worker = rowlock.worker({ concurrency });
      worker
        .on('run', () => (told.runs += 1))
        .on('blocked', () => (told.blocked += 1))
        .on('lost', () => (told.lost += 1))
        .on('fault', (error) => told.faults.push(String(error)));
      await worker.start();
    },
    stop: () => worker.stop(),
    told: () => told,
    close: () => rowlock.close(),
  };
}
