import { Problem } from '../http/problem.js';
import type { PictureView } from '../views.js';
import type { Call } from './route.js';

const JOBS = 1_000;

/** The jobs at the front of a queue, and who has them. */
export async function picture({ looks, query }: Call): Promise<PictureView> {
  const limit = Number(query.get('limit') ?? JOBS);
  const queue = query.get('queue');
  if (queue === null) throw new Problem(400, 'queue is missing.');
  return looks.picture(queue, limit).get();
}
