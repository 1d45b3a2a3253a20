import type { ClaimCriteria, Job } from '@rowlock/core/driver';
import { START } from '../../stage.js';
import type { CommandOf } from '../command.js';
import type { Actor, Claiming } from '../parts.js';
import type { Result } from '../result.js';
import type { Names } from './names.js';
import type { Claim, WorldState } from './state.js';

export async function claim<Tx>(
  state: WorldState<Tx>,
  { by, ...claiming }: CommandOf<'claim'>,
): Promise<Result> {
  const { names } = state;
  const open = await state.begin(by);
  const jobs = await orRolledBack(state, by, open.held.claim(await criteriaOf(names, claiming)));
  return jobs.map((job) => take(open, job, names));
}

/** What is left to do after a refusal. */
export async function orRolledBack<Tx, Answer>(
  state: WorldState<Tx>,
  by: Actor,
  answer: Promise<Answer>,
): Promise<Answer> {
  return answer.catch(async (error: unknown) => {
    await state.lastOf(by).held.rollback();
    throw error;
  });
}

export async function criteriaOf(
  names: Names,
  { queue, kinds, beyond, busy, limit, limits }: Claiming,
): Promise<ClaimCriteria> {
  const row = beyond === null ? undefined : await names.row(beyond);
  return {
    queue: names.own(queue),
    kinds,
    line: row === undefined ? START : { priority: row.priority, id: row.id },
    busy: busy.map((key) => names.own(key)),
    limit: limits === null ? limit : 1,
    limits: names.limitsText(limits),
  };
}

export async function lockSiblings<Tx>(
  state: WorldState<Tx>,
  { by, queue, keys, limit }: CommandOf<'lockSiblings'>,
): Promise<Result> {
  const { names } = state;
  const open = state.claim(by);
  const first = [...open.jobs.values()].find((job) => job.key !== null);
  const entities =
    queue === null && first?.key
      ? { queue: first.queue, keys: [first.key] }
      : { queue: names.own(queue ?? ''), keys: keys.map((key) => names.own(key)) };
  const jobs = await orRolledBack(state, by, open.held.lockSiblings(entities, limit));
  return entities.keys
    .toSorted()
    .map((key) => jobs.filter((job) => job.key === key).map((job) => take(open, job, names)));
}

export async function firstOutstanding<Tx>(
  state: WorldState<Tx>,
  { by, key, kinds, before }: CommandOf<'firstOutstanding'>,
): Promise<Result> {
  const { names } = state;
  const { held, jobs } = state.claim(by);
  const id = await held.firstOutstanding({
    key: names.own(key),
    kinds,
    before: (await names.row(before)).id,
    except: [...jobs.keys()],
  });
  return id === undefined ? null : await names.jobOf(id);
}

export function take<Tx>({ jobs }: Claim<Tx>, job: Job, names: Names): Result {
  jobs.set(job.id, job);
  names.meet(job);
  const { status, attempt, crashes, metadata, payload } = job;
  const limits = names.shortLimits(job.limits);
  return { ...names.asWanted(job), limits, status, attempt, crashes, metadata, payload };
}
