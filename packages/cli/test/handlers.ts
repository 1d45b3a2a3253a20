import { defineHandler, definePlugin, fail } from '@rowlock/core';
import { z } from 'zod';

const payload = z.object({ to: z.string() });

const Mail = defineHandler({ kind: 'mail', payload, run: ({ job }) => `sent to ${job.payload.to}` });
const Refused = defineHandler({ kind: 'refused', queue: 'mail', payload, run: () => fail('no') });

export const mails = definePlugin({ name: 'mails', handlers: [Mail] });
export default [Refused];
