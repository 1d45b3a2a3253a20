import type { Picture } from '@rowlock/core/types';
import { Problem } from '../http/problem.js';
import type { Scope } from '../scope.js';
import { workersIn } from './workers.js';

/**
 * The picture of a queue that is all in the scope. The order of a queue is that of all its kinds, so a viewer of some of them
 * gets none.
 *
 * @throws Problem 403
 */
export async function pictureIn(scope: Scope, queue: string, look: () => Promise<Picture>): Promise<Picture> {
  const { queues, kinds } = scope;
  if (kinds !== null)
    throw new Problem(403, 'You may see some kinds alone, and this screen has all of a queue.', {
      permission: 'read',
    });
  if (queues?.includes(queue) === false)
    throw new Problem(403, 'You may not see this queue.', { permission: 'read' });
  const picture = await look();
  const own = new Set(picture.jobs.map(({ publicId }) => publicId));
  return {
    ...picture,
    jobs: picture.jobs.map((job) =>
      // The job that another one follows may be of any queue.
      job.state === 'follows' && job.waitsFor !== null && !own.has(job.waitsFor)
        ? { ...job, waitsFor: null }
        : job,
    ),
    workers: workersIn(scope, picture.workers),
  };
}
