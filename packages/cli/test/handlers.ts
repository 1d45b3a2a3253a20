import { defineHandler, definePlugin, fail } from '@rowlock/core';
import { z } from 'zod';

const payload = z.object({ to: z.string() });

const Mail = defineHandler({ kind: 'mail', payload, run: ({ job }) => `sent to ${job.payload.to}` });
const Refused = defineHandler({ kind: 'refused', queue: 'mail', payload, run: () => fail('no') });

/** Says what a terminal would interpret, and a password. */
const Loud = defineHandler({
  kind: 'loud',
  payload,
  attempts: 1,
  run: () => {
    throw new Error('\u001b[31mno route to postgres://ada:hunter2@db.example/jobs\u202e');
  },
});

export const mails = definePlugin({ name: 'mails', handlers: [Mail, Loud] });
export default [Refused];
