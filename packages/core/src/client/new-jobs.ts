import type { DeclaredLimits } from '../admission/limit.js';
import type { NewJob } from '../job/job.js';
import { checkOptions } from '../known-options.js';
import {
  checkEnqueueable,
  ENQUEUE_OPTIONS,
  type Enqueueable,
  type EnqueueOptions,
  newJob,
} from './enqueue-options.js';

/**
 * The rows of the inputs. A promise if the schema is asynchronous. Most schemas are synchronous: then the caller's
 * statement is sent at once.
 *
 * @throws InvalidInputError, InvalidPayloadError
 */
export function newJobs(
  handler: Enqueueable,
  options: readonly EnqueueOptions<unknown>[],
  declared?: DeclaredLimits,
): readonly NewJob[] | Promise<readonly NewJob[]> {
  checkEnqueueable(handler);
  const jobs: (NewJob | Promise<NewJob>)[] = [];
  try {
    for (const each of options) {
      jobs.push(newJob(handler, each, declared));
      checkOptions('enqueue()', each, ENQUEUE_OPTIONS);
    }
  } catch (error) {
    // Checks still on their way may reject too. Without a handler, such a rejection would be unhandled.
    void Promise.allSettled(jobs);
    throw error;
  }
  return jobs.every((job): job is NewJob => !(job instanceof Promise)) ? jobs : Promise.all(jobs);
}
