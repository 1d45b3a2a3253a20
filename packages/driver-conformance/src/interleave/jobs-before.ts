import type { Script } from './scenario.js';

export const oneJob: Script = async ({ enqueue }) => {
  await enqueue('first');
};

export const twoJobs: Script = async ({ enqueue }) => {
  await enqueue('first');
  await enqueue('second');
};
