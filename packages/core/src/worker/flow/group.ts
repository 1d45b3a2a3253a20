/** Check and group: from the claimed jobs to the runs that may begin, all under this transaction's locks. */

import { v4 as uuid } from 'uuid';
import type { ClaimSession } from '../../driver/claim-session.js';
import { isDriverError } from '../../driver/driver-error.js';
import type { RunRef } from '../../driver/run-record.js';
import type { AnyHandler } from '../../handler/handler.js';
import type { Job } from '../../job/job.js';
import type { Sweep } from '../look/sweep.js';
import { Run } from '../run/run.js';
import type { Flow } from './context.js';

type Entity = NonNullable<Job['key']> | Job['id'];

/** Runs of one key, in id order. Each follows the one before. Mostly one run. */
export type Chain<Tx> = readonly [Run<Tx>, ...Run<Tx>[]];

/** The runs of one claim: they share its transaction, and begin and end together. */
export interface Claim<Tx> {
  readonly session: ClaimSession<Tx>;
  readonly chains: readonly Chain<Tx>[];
  readonly runs: Chain<Tx>;
  /** All of them as one. */
  readonly ref: RunRef;
}

/** Undefined if no run may begin. */
export function claimOf<Tx>(session: ClaimSession<Tx>, chains: readonly Chain<Tx>[]): Claim<Tx> | undefined {
  const [first, ...others] = chains.flat();
  if (first === undefined) return undefined;
  const runs: Chain<Tx> = [first, ...others];
  const ref = { runId: first.live.runId, jobs: runs.flatMap(({ live }) => live.jobs) };
  return { session, chains, runs, ref };
}

/** What the runs of one claim are made with. */
interface Making {
  readonly runId: string;
  readonly isBatch: boolean;
}

/**
 * Locks the siblings of the claimed jobs, NOWAIT, and makes the runs. A blocked key is left out, and skipped for the
 * rest of the sweep. If two workers hold different jobs of a key, the later one meets the other's lock. A claim of
 * several jobs is then repeated `one by one`.
 *
 * @param taken Receives the entities that are this slot's from now on.
 */
export async function lockGroups<Tx>(
  flow: Flow<Tx>,
  tx: ClaimSession<Tx>,
  pass: Sweep,
  jobs: readonly Job[],
  taken: Set<string>,
): Promise<readonly Chain<Tx>[] | 'one by one'> {
  const own = jobs.filter((job) => !isAside(flow, job) && take(flow, job, taken));
  const siblings = await lockSiblings(flow, tx, pass.queue, own);
  const making: Making = { runId: uuid(), isBatch: jobs.length > 1 };
  if (siblings === 'refused' && making.isBatch) return 'one by one';

  const locked: ReadonlyMap<Entity, readonly Job[]> = siblings === 'refused' ? new Map() : siblings;
  const chains = new Map<Entity, Chain<Tx>>();
  for (const [entity, claimed] of byEntity(own)) {
    // A key whose jobs are not locked is not run.
    const chain =
      typeof entity === 'string'
        ? await chainOf(
            flow,
            tx,
            making,
            upToOtherLimits(pass, locked.get(entity) ?? []),
            making.isBatch ? claimed.length : 1,
          )
        : keylessRun(flow, making, claimed);
    if (chain === 'one by one') return 'one by one';
    if (chain !== undefined) chains.set(entity, chain);
  }
  for (const job of jobs) {
    if (chains.has(job.key ?? job.id)) continue;
    pass.skip(job);
    flow.events.emit('blocked', job);
  }
  return acrossKeys([...chains.values()], making.runId);
}

/**
 * Makes one run of the first runs of these chains, where a handler takes several keys. What follows them in their keys
 * is claimed again later.
 */
function acrossKeys<Tx>(chains: readonly Chain<Tx>[], runId: string): readonly Chain<Tx>[] {
  const isWide = ([{ handler }]: Chain<Tx>): boolean => handler.groupKeys > 1;
  if (!chains.some(isWide)) return chains;
  const wide = Map.groupBy(chains.filter(isWide), ([{ handler }]) => handler);
  const across = [...wide].flatMap(([handler, firsts]): Chain<Tx>[] => {
    const jobs = firsts.flatMap(([run]) => run.jobs);
    const [first, ...rest] = jobs.toSorted(({ id: one }, { id: other }) => (one < other ? -1 : 1));
    return first === undefined ? [] : [[new Run(handler, [first, ...rest], runId)]];
  });
  return [...chains.filter((chain) => !isWide(chain)), ...across];
}

/**
 * The first of these jobs, up to one with other limits. The claim has slots of its own limits alone. If the first job
 * has others, the key waits for the sweep of that job's part.
 */
function upToOtherLimits({ limits }: Sweep, jobs: readonly Job[]): readonly Job[] {
  const end = jobs.findIndex((job) => job.limits !== limits);
  return end === -1 ? jobs : jobs.slice(0, end);
}

/** Marks the job's entity as this slot's. False if another slot of this process has it. */
function take<Tx>(flow: Flow<Tx>, { queue, key }: Job, taken: Set<string>): boolean {
  if (key === null) return true;
  const entity = `${queue}\n${key}`;
  if (flow.taken.has(entity)) return taken.has(entity);
  flow.taken.add(entity);
  taken.add(entity);
  return true;
}

/** Whether a job is passed over for now, and those behind it in its key: the database has just refused its settlement. */
function isAside<Tx>({ reported: { refused } }: Flow<Tx>, { publicId }: Job): boolean {
  return refused.has(publicId);
}

function byEntity(jobs: readonly Job[]): ReadonlyMap<Entity, readonly Job[]> {
  return Map.groupBy(jobs, ({ key, id }): Entity => key ?? id);
}

async function lockSiblings<Tx>(
  { registry }: Flow<Tx>,
  tx: ClaimSession<Tx>,
  queue: string,
  jobs: readonly Job[],
): Promise<ReadonlyMap<Entity, readonly Job[]> | 'refused'> {
  const claimed = byEntity(jobs.filter(({ key }) => key !== null));
  if (claimed.size === 0) return new Map();
  const keys = [...claimed.keys()].map(String);
  const most = Math.max(registry.largestGroup, ...[...claimed.values()].map(({ length }) => length));
  try {
    return byEntity(await tx.lockSiblings({ queue, keys }, most));
  } catch (error) {
    if (isDriverError(error, 'LockNotAvailable') || isDriverError(error, 'Deadlock')) return 'refused';
    throw error;
  }
}

/** The run of a job without a key, which has no siblings. Needs no statement, as most jobs of a batch have no key. */
function keylessRun<Tx>(
  flow: Flow<Tx>,
  { runId, isBatch }: Making,
  jobs: readonly Job[],
): Chain<Tx> | 'one by one' | undefined {
  const group = nextGroup(flow, jobs);
  const [job] = jobs;
  if (group === undefined || job === undefined) return undefined;
  return isBatch && !flow.sizes.isBatchable(job) ? 'one by one' : [new Run(group.handler, [job], runId)];
}

/**
 * The next runs of a key, for as many of its jobs as were claimed. Undefined if the key is blocked. Jobs of a key start
 * in id order: the first one runs, even if the priority of another one led to the claim.
 */
async function chainOf<Tx>(
  flow: Flow<Tx>,
  tx: ClaimSession<Tx>,
  { runId, isBatch }: Making,
  siblings: readonly Job[],
  claimed: number,
): Promise<Chain<Tx> | 'one by one' | undefined> {
  if (siblings.some(({ status }) => status === 'in-progress')) return undefined;
  const runs: Run<Tx>[] = [];
  let rest = siblings;
  let left = claimed;
  do {
    const run = await nextRun(flow, tx, runId, rest);
    if (run === undefined) break;
    if (isBatch && !run.jobs.every((job) => flow.sizes.isBatchable(job))) {
      if (runs.length === 0) return 'one by one';
      break;
    }
    runs.push(run);
    left -= run.jobs.length;
    rest = rest.slice(run.jobs.length);
    // The query for dependencies sees committed rows only, and so not the end of the previous run.
  } while (left > 0 && runs.every(({ handler }) => handler.after.length === 0));
  const [first, ...others] = runs;
  return first && [first, ...others];
}

async function nextRun<Tx>(
  flow: Flow<Tx>,
  tx: ClaimSession<Tx>,
  runId: string,
  siblings: readonly Job[],
): Promise<Run<Tx> | undefined> {
  const group = nextGroup(flow, siblings);
  if (group === undefined) return undefined;
  const [first, ...rest] = await withoutDependants(tx, group.handler, group.jobs);
  return first && new Run(group.handler, [first, ...rest], runId);
}

/**
 * The first of these jobs, and those that its handler takes with it. All are of one key, or have none. Undefined if the
 * first one cannot run here.
 */
function nextGroup<Tx>(
  flow: Flow<Tx>,
  siblings: readonly Job[],
): { readonly handler: AnyHandler<Tx>; readonly jobs: readonly Job[] } | undefined {
  const [head] = siblings;
  if (head === undefined || isAside(flow, head)) return undefined;
  const handler = flow.registry.find(head.kind);
  if (handler === undefined) tellUnknown(flow, head);
  if (handler === undefined || (handler.claim === 'lease' && !flow.anchored())) return undefined;

  // A job of another kind in between keeps its turn.
  const end = siblings.findIndex((job) => job.kind !== handler.kind || isAside(flow, job));
  return { handler, jobs: siblings.slice(0, Math.min(handler.groupMax, end === -1 ? siblings.length : end)) };
}

function tellUnknown<Tx>(
  { log, reported: { unknownKinds } }: Flow<Tx>,
  { publicId, queue, kind, key }: Job,
): void {
  if (unknownKinds.has(kind)) return;
  unknownKinds.add(kind);
  const facts = { publicId, queue, kind, key };
  log.warn(
    facts,
    'a job of a kind that this worker does not serve holds up the later ones of its key: have a worker serve the kind, or cancel the job',
  );
}

/** Leaves out the jobs that must wait for an earlier, outstanding job of the kinds in `after`. */
async function withoutDependants<Tx>(
  tx: ClaimSession<Tx>,
  { after }: AnyHandler<Tx>,
  jobs: readonly Job[],
): Promise<readonly Job[]> {
  const last = jobs.at(-1);
  if (last === undefined || last.key === null || after.length === 0) return jobs;
  const except = jobs.map(({ id }) => id);
  const first = await tx.firstOutstanding({ key: last.key, kinds: after, before: last.id, except });
  return first === undefined ? jobs : jobs.filter(({ id }) => id < first);
}
