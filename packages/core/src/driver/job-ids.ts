import type { JobId } from '../job/job.js';

/** Lower than every job's id. */
export const NO_ID: JobId = 0n;

/** As high as an id can be: both databases have 64 bits, signed. */
export const HIGHEST_ID: JobId = 2n ** 63n - 1n;
