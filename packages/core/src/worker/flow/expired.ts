import { mayExpire } from '../../job/expires.js';
import type { Run } from '../run/run.js';
import type { Flow } from './context.js';

/** The public ids of those jobs of a run whose time is over, by the database's clock. Undefined where no job has a time. */
export function expiredOf<Tx>(
  { driver }: Pick<Flow<Tx>, 'driver'>,
  { jobs }: Run<Tx>,
): Promise<ReadonlySet<string>> | undefined {
  if (!jobs.some(mayExpire)) return undefined;
  const of = jobs.filter(mayExpire).map(({ publicId }) => publicId);
  return driver.expiry.over({ of }).then((over) => new Set(over));
}
