// For ends.test.ts: a program whose handler complains, and goes on for longer than a complaint needs to be refused.
import { setTimeout } from 'node:timers/promises';
import { defineHandler } from '@rowlock/core';
import { z } from 'zod';

export const complaint = defineHandler({
  kind: 'complaint',
  payload: z.unknown(),
  async run({ log }) {
    log.warn({}, 'it complains');
    await setTimeout(50);
  },
});
