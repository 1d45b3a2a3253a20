import { defineCapture, defineHandler } from '@rowlock/core';
import { z } from 'zod';

/** In hours: nothing of this begins while it is measured. */
const LATER_MS = 12 * 3_600_000;
const SCHEDULES = 20;

const Other = (kind, options) => defineHandler({ kind, payload: z.number(), run: () => {}, ...options });

const Limited = Other('limited', { limit: { name: 'unused', max: 3, starts: 60, per: '1m' } });
const Scheduled = Other('scheduled');
const Captured = Other('captured', { payload: z.json() });
const Paused = Other('paused');

const TABLE = 'unused_capture';

/** What a database may have for jobs of other kinds, in the queue of those that are measured. */
const CAPABILITIES = {
  limits: {
    handlers: [Limited],
    async prepare(rowlock) {
      await rowlock.limits.set('unused', { max: 2 });
      await rowlock.enqueue(Limited, { payload: 1, delay: LATER_MS });
    },
  },
  schedules: {
    handlers: [Scheduled],
    schedules: () =>
      Object.fromEntries(
        Array.from({ length: SCHEDULES }, (_, payload) => [
          `unused ${payload}`,
          { handler: Scheduled, payload, every: '24h', anchor: new Date(Date.now() + LATER_MS) },
        ]),
      ),
  },
  captures: {
    handlers: [Captured],
    captures: [defineCapture({ name: 'unused', table: TABLE, id: ['id'], kind: Captured.kind })],
    async prepare(rowlock, { ask }) {
      await ask(`CREATE TABLE ${TABLE} (id int PRIMARY KEY)`);
      await rowlock.captures.apply();
    },
  },
  pauses: {
    handlers: [Paused],
    async prepare(rowlock) {
      await rowlock.enqueue(Paused, { payload: 1, delay: LATER_MS });
      for (const what of [{ kind: Paused.kind }, { queue: 'unused' }, { limit: 'paused' }])
        await rowlock.jobs.pause(what);
    },
  },
};

export const CAPABILITY_NAMES = Object.keys(CAPABILITIES);

/**
 * Capabilities that the measured jobs do not use.
 *
 * @returns what Rowlock is created with, and `prepare`, which configures the rest in the database
 */
export function unused(names) {
  const chosen = names.map((name) => CAPABILITIES[name]);
  return {
    handlers: chosen.flatMap(({ handlers }) => handlers),
    schedules: Object.assign({}, ...chosen.map(({ schedules }) => schedules?.())),
    captures: chosen.flatMap(({ captures = [] }) => captures),
    async prepare(rowlock, plain) {
      for (const { prepare } of chosen) await prepare?.(rowlock, plain);
    },
  };
}
