import type { NewJob } from '../job/job.js';
import { checkEnqueueable, type Enqueueable, type EnqueueOptions, newJob } from './enqueue-options.js';

/**
 * The rows of what was passed. Most schemas answer at once, and for thousands of jobs promises that are kept already take longer
 * than all checks.
 *
 * @throws InvalidInputError, InvalidPayloadError
 */
export async function newJobs(
  handler: Enqueueable,
  options: readonly EnqueueOptions<unknown>[],
): Promise<readonly NewJob[]> {
  checkEnqueueable(handler);
  const jobs: (NewJob | Promise<NewJob>)[] = [];
  try {
    for (const each of options) jobs.push(newJob(handler, each));
  } catch (error) {
    // Those that are still being checked may be refused as well, and nobody would wait for that.
    await Promise.allSettled(jobs);
    throw error;
  }
  return jobs.every((job): job is NewJob => !(job instanceof Promise)) ? jobs : Promise.all(jobs);
}
