import type { Job } from '../../job/job.js';

/** The key of all these jobs. Null if they have several, or none. */
export function keyOfAll([first, ...others]: readonly Pick<Job, 'key'>[]): string | null {
  return first !== undefined && others.every(({ key }) => key === first.key) ? first.key : null;
}
