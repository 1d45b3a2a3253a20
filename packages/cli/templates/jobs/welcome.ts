import { defineHandler } from '@rowlock/core';
import { z } from 'zod';

/** The code for one kind of job. What it returns is the job's output, and a job whose handler throws is tried again. */
export const Welcome = defineHandler({
  kind: 'welcome',
  payload: z.object({ name: z.string().min(1) }),
  run: ({ job }) => `Welcome, ${job.payload.name}!`,
});
