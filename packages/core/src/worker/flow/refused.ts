import type { ClaimSession } from '../../driver/claim-session.js';
import { limitMs } from '../run/time-limits.js';
import type { Flow } from './context.js';
import { asOne, type Grouped } from './group.js';
import { isRefusal } from './settle-each.js';

/**
 * The database has refused what a claim was to commit, and so has ended its transaction. One of the jobs is the cause. From now
 * on each runs by itself, and is settled in a way that leaves the claim in place. A job whose commit is refused even so
 * is passed over for a pause: it holds up no other one.
 *
 * @throws the error
 */
export async function giveBackRefused<Tx>(
  { driver, registry, reported: { refused }, sizes }: Flow<Tx>,
  session: ClaimSession<Tx>,
  claim: Grouped<Tx>,
  error: unknown,
): Promise<never> {
  if (!isRefusal(error)) throw error;
  const run = asOne(claim);
  const runs = claim.flat();
  const jobs = runs.flatMap((each) => each.jobs.map(({ publicId }) => publicId));
  const isKnown = jobs.every((publicId) => refused.knows(publicId));
  if (isKnown) refused.add(jobs.map((member) => ({ member, error })));
  else refused.suspect(jobs);
  sizes.reset(claim[0][0].jobs[0].queue);
  await session.rollback();
  // Neither a run that has not begun is a crash, nor one that may suffer for another job. Any other one counts.
  if (!isKnown || runs.every(({ endings }) => endings === 'release')) {
    const another = driver.claims.session({ idleLimitMs: limitMs(registry.longestHeldRunMs) });
    await another.release(run).catch(() => another.rollback());
  }
  throw error;
}
