import { holdersOf, LIMITED_JOBS, waitOf } from '../admission/in-use.js';
import { namesIn, ratesOf, sizesOf } from '../admission/limits-text.js';
import type { WorkerView } from '../driver/anchor.js';
import type { Driver, Uses } from '../driver/driver.js';
import type { PauseView } from '../driver/pause.js';
import type { NamedJob, Situation } from '../driver/situation.js';
import { JobNotFoundError } from '../errors.js';
import { isSettled, type State } from '../job/lifecycle.js';
import { afterOf, isServed, servedIn } from '../stats/served.js';
import type { Cause, Reason } from './reason.js';
import { sentence } from './sentence.js';

/** The most jobs before a job that are counted. */
const MOST_BEFORE = 1_000;

/** Why a job does not run. */
export interface Explanation {
  readonly publicId: string;
  /** The state, as `find` shows it. */
  readonly status: State;
  /** When it was so, by the database's clock. */
  readonly at: Date;
  /** All that keep it from running. None: the next claim of an idle worker takes it. */
  readonly reasons: readonly Reason[];
}

/** What explanations are made with. */
export interface ExplainParts {
  readonly driver: Pick<Driver, 'situation'> &
    Uses<{ admission: 'takenSlots' | 'limitedJobs' | 'limits' | 'pauses'; workers: 'list' }>;
}

/** The live workers and the pauses, read once for an explanation. */
interface Surroundings {
  readonly workers: readonly WorkerView[];
  readonly pauses: readonly PauseView[];
}

/** @throws JobNotFoundError, DriverError */
export async function explain(parts: ExplainParts, job: NamedJob): Promise<Explanation> {
  const [workers, pauses] = await Promise.all([parts.driver.workers.list(), parts.driver.admission.pauses()]);
  const around = { workers: workers.filter(({ alive }) => alive), pauses };
  const situation = await situationOf(parts, around, job);
  if (situation === undefined) throw new JobNotFoundError(job.publicId);
  const { publicId, run, now: at } = situation;
  const status = run === null ? situation.status : 'in-progress';
  return { publicId, status, at, reasons: await reasons(parts, around, situation) };
}

function situationOf(
  { driver }: ExplainParts,
  { workers }: Surroundings,
  { publicId, kind }: NamedJob,
): Promise<Situation | undefined> {
  return driver.situation({ publicId, after: afterOf(kind, workers), most: MOST_BEFORE + 1 });
}

async function reasons(
  parts: ExplainParts,
  around: Surroundings,
  situation: Situation,
): Promise<readonly Reason[]> {
  const { status, finishedAt, error, run } = situation;
  if (isSettled(status)) return [reason({ reason: 'settled', status, at: finishedAt, error })];
  if (run !== null) return [reason({ reason: 'running', ...run })];
  return [
    ...[
      ...follows(situation),
      ...delayed(situation),
      ...paused(around, situation),
      ...unserved(around, situation),
    ].map(reason),
    ...(await ofItsKey(parts, around, situation)),
    ...[...(await fullLimits(parts, situation)), ...ratesUsedUp(situation)].map(reason),
    ...backlog(situation).map(reason),
  ];
}

function reason(cause: Cause): Reason {
  const blocks =
    cause.reason === 'earlier' ? cause.causes.some((each) => each.blocks) : cause.reason !== 'backlog';
  return { ...cause, blocks, text: sentence(cause) };
}

function follows({ followed }: Situation): readonly Cause[] {
  return followed.jobs.length === 0 ? [] : [{ reason: 'follows', ...followed }];
}

function delayed(situation: Situation): readonly Cause[] {
  const { due, availableAt, now, attempt, maxAttempts, error, followed } = situation;
  if ((due && availableAt <= now) || followed.jobs.length > 0) return [];
  return [{ reason: 'delayed', until: availableAt, attempt, maxAttempts, error }];
}

function paused({ pauses }: Surroundings, { queue, kind, limits }: Situation): readonly Cause[] {
  const names = { all: [''], queue: [queue], kind: [kind], limit: namesIn(limits) };
  return pauses
    .filter(({ scope, name }) => names[scope].includes(name))
    .map(({ scope, name, until, reason: because, by, pausedAt: since }) => {
      return { reason: 'paused', scope, name, until, because, by, since };
    });
}

function unserved({ workers }: Surroundings, { queue, kind }: Situation): readonly Cause[] {
  if (isServed({ queue, kind }, workers)) return [];
  return [{ reason: 'unserved', queue, kind, servedIn: servedIn(kind, workers) }];
}

/** What the other jobs of its key do. An earlier one is explained too: it is the first, so no other is behind that. */
async function ofItsKey(
  parts: ExplainParts,
  around: Surroundings,
  { key, sibling, earlier, dependency }: Situation,
): Promise<readonly Reason[]> {
  if (key === null) return [];
  const causes: Cause[] = [];
  if (sibling !== null) causes.push({ reason: 'key', key, job: sibling });
  if (sibling === null && earlier !== null) {
    const first = await situationOf(parts, around, earlier);
    const why = first === undefined ? [] : await reasons(parts, around, { ...first, earlier: null });
    causes.push({ reason: 'earlier', key, job: earlier, causes: why });
  }
  if (dependency !== null) causes.push({ reason: 'after', key, job: dependency });
  return causes.map(reason);
}

async function fullLimits({ driver }: ExplainParts, situation: Situation): Promise<readonly Cause[]> {
  const limits = sizesOf(situation.limits);
  if (limits.length === 0) return [];
  const [slots, sizes] = await Promise.all([
    driver.admission.takenSlots(limits.map(({ name }) => name)),
    driver.admission.limits(),
  ]);
  const full = limits
    .map(({ name, max }) => ({ name, max: sizes.find((set) => set.name === name)?.max ?? max }))
    .filter(({ name, max }) => (slots.find((limit) => limit.name === name)?.taken ?? 0) >= max);
  if (full.length === 0) return [];
  const jobs = await driver.admission.limitedJobs(LIMITED_JOBS);
  return full.map((limit) => ({ reason: 'limit', ...limit, by: holdersOf(limit.name, jobs) }));
}

function ratesUsedUp({ limits, rates, now }: Situation): readonly Cause[] {
  return ratesOf(limits).flatMap((rate): readonly Cause[] => {
    const numbers = rates.find(({ name }) => name === rate.name)?.numbers ?? rate;
    const waitMs = waitOf(rate.name, numbers, rates);
    return waitMs === 0 ? [] : [{ reason: 'rate', name: rate.name, at: new Date(now.getTime() + waitMs) }];
  });
}

function backlog({ before }: Situation): readonly Cause[] {
  if (before === 0) return [];
  return [{ reason: 'backlog', jobs: Math.min(before, MOST_BEFORE), more: before > MOST_BEFORE }];
}
