import { limitMs } from '../run/time-limits.js';
import type { Flow } from './context.js';
import type { Claim } from './group.js';
import { isRefusal, mayPass } from './settle-each.js';

/**
 * Gives a claim back whose commit the database has refused. One of the jobs is the cause, so each runs by itself from now on,
 * and is settled in a way that leaves the claim in place. A job whose commit is refused even so is passed over for a
 * pause, because it must hold up no other one. An error that may pass counts as a refusal when it has come to a job a few times.
 *
 * @throws the error
 */
export async function giveBackRefused<Tx>(
  { driver, registry, reported: { refused }, sizes }: Flow<Tx>,
  { session, runs, ref }: Claim<Tx>,
  error: unknown,
): Promise<never> {
  const jobs = runs.flatMap((each) => each.jobs.map(({ publicId }) => publicId));
  if (!isRefusal(error) && !(mayPass(error) && refused.isLasting(jobs))) throw error;
  const wereRefused = jobs.every((publicId) => refused.hasFailed(publicId));
  if (wereRefused) refused.add(jobs.map((member) => ({ member, error })));
  else for (const job of jobs) refused.suspect(job);
  sizes.reset(runs[0].jobs[0].queue);
  await session.rollback();
  // Neither a run that has not begun is a crash, nor one that may suffer for another job. Any other one counts.
  if (!wereRefused || runs.every(({ endings }) => endings === 'release')) {
    const another = driver.claims.session({ idleLimitMs: limitMs(registry.longestHeldRunMs) });
    await another.release(ref).catch(() => another.rollback());
  }
  throw error;
}
