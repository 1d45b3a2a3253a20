import type { NewJob } from '../job/job.js';
import { checkEnqueueable, type Enqueueable, type EnqueueOptions, newJob } from './enqueue-options.js';

/**
 * The rows of the inputs. Most schemas are synchronous. Awaiting thousands of resolved promises takes longer than all
 * checks, so only promises are awaited.
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
    // Checks still on their way may reject too. Without a handler, such a rejection would be unhandled.
    await Promise.allSettled(jobs);
    throw error;
  }
  return jobs.every((job): job is NewJob => !(job instanceof Promise)) ? jobs : Promise.all(jobs);
}
