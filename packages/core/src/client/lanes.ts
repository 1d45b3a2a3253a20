import { type JobFilter, listed } from '../driver/job-filter.js';
import type { Lane } from '../driver/lane.js';
import { checkName, checkTexts } from '../input.js';

/** The queues and kinds of a filter, where it has some. */
interface Lanes {
  readonly queues: readonly string[] | undefined;
  readonly kinds: readonly string[] | undefined;
}

/** @throws InvalidInputError */
export function lanesIn({ queue, kind }: Pick<JobFilter, 'queue' | 'kind'>): Lanes {
  const [queues, kinds] = [listed(queue), listed(kind)];
  for (const [name, names] of Object.entries({ queue: queues, kind: kinds })) {
    if (names === undefined) continue;
    checkTexts(name, names);
    for (const each of names) checkName(name, each);
  }
  return { queues, kinds };
}

export function isIn({ queues, kinds }: Lanes, { queue, kind }: Lane): boolean {
  return (queues?.includes(queue) ?? true) && (kinds?.includes(kind) ?? true);
}
