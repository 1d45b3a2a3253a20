import type { WorkerView } from '../driver/anchor.js';
import type { Driver, Uses } from '../driver/driver.js';
import type { Facts, HeldJob, Insight, JobFacts, NamedJobs, QueueFront } from '../driver/insight.js';
import type { PauseView } from '../driver/pause.js';
import { InvalidInputError } from '../errors.js';
import { type LimitedBy, type LimitsRead, limitedBy } from './limited-by.js';
import { afterOfKinds, kindsByQueue } from './served.js';

/** The most jobs before a job that are named. */
export const MOST_BEFORE = 1_000;

/** Jobs, and all that may be in their way. */
export interface Surroundings extends Facts {
  /** The live ones. */
  readonly workers: readonly WorkerView[];
  readonly pauses: readonly PauseView[];
  /** By queue and key. */
  readonly keys: ReadonlyMap<string, KeyFacts>;
  readonly limited: LimitedBy;
}

interface KeyFacts {
  /** The first one that could run. */
  readonly first: JobFacts;
  /** The first one that a run has. */
  readonly held: HeldJob | undefined;
}

export type Looking = Pick<Driver, 'name' | 'insight'> &
  Uses<{ workers: 'list'; admission: 'pauses' }> &
  LimitsRead;

/** Reads jobs with all that may be in their way. @throws InvalidInputError, DriverError */
export async function lookAt(
  driver: Looking,
  jobs: QueueFront | Omit<NamedJobs, 'served'>,
): Promise<Surroundings> {
  const insight = insightOf(driver);
  const workers = (await driver.workers.list()).filter(({ alive }) => alive);
  const [facts, pauses] = await Promise.all([
    insight.facts({ ...jobs, after: afterOfKinds(workers), served: kindsByQueue(workers) }),
    driver.admission.pauses(),
  ]);
  const limited = await limitedBy(driver, facts, 'publicIds' in jobs);
  return { ...facts, workers, pauses, keys: keysOf(facts), limited };
}

/** @throws InvalidInputError where the driver has left it out */
export function insightOf({ name, insight }: Pick<Driver, 'name' | 'insight'>): Insight {
  if (insight !== undefined) return insight;
  throw new InvalidInputError(
    `The driver ${JSON.stringify(name)} does not say why jobs wait, nor what has run. Those of Postgres and MySQL do.`,
  );
}

/** The place of a job with a key. */
export function laneOf({ queue, key }: Pick<JobFacts, 'queue' | 'key'>): string {
  return JSON.stringify([queue, key]);
}

function keysOf({ now, jobs }: Facts): ReadonlyMap<string, KeyFacts> {
  const keys = new Map<string, KeyFacts>();
  for (const job of jobs.toSorted((one, other) => Number(one.id - other.id))) {
    const { key, publicId, kind, run, availableAt } = job;
    if (key === null || (run === null && availableAt > now)) continue;
    const { first = job, held } = keys.get(laneOf(job)) ?? {};
    keys.set(laneOf(job), { first, held: held ?? (run === null ? undefined : { publicId, kind, run }) });
  }
  return keys;
}
