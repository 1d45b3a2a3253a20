import { DriverError, STATES, type State } from '@rowlock/core';
import { isSettled, NEVER } from '@rowlock/core/driver';
import type { UniqueScope } from '@rowlock/core/types';

/** A job as its row has it. JSON is text and times are milliseconds, so that no reader can change the stored job. */
export interface JobRow {
  readonly id: bigint;
  readonly publicId: string;
  readonly queue: string;
  readonly kind: string;
  readonly key: string | null;
  readonly payload: string;
  readonly priority: number;
  readonly availableAt: number;
  /** Whether a survey, or the job's writer, has seen that `availableAt` has come. */
  readonly due: boolean;
  readonly status: State;
  readonly runId: string | null;
  /** The end of a lease. Has no meaning in other states. */
  readonly leasedUntil: number | null;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly crashes: number;
  readonly redrives: number;
  readonly uniqueKey: string | null;
  readonly uniqueScope: UniqueScope;
  readonly output: string;
  readonly error: string | null;
  readonly metadata: string;
  /** The text of its limits. Empty if it has none. */
  readonly limits: string;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly startedAt: number | null;
  readonly startedBy: string | null;
  readonly finishedAt: number | null;
  readonly finishedBy: string | null;
}

/** Whether a job waits for others. */
export function isFollower({ availableAt }: JobRow): boolean {
  return availableAt === NEVER.getTime();
}

/** A row before the table has checked it. */
export type JobCandidate = { readonly [Column in Exclude<keyof JobRow, 'status'>]: JobRow[Column] | null } & {
  readonly status: string | null;
};

/** NOT NULL */
const REQUIRED = [
  'id',
  'publicId',
  'queue',
  'kind',
  'payload',
  'priority',
  'availableAt',
  'due',
  'attempt',
  'maxAttempts',
  'crashes',
  'redrives',
  'uniqueScope',
  'output',
  'metadata',
  'limits',
  'createdAt',
  'createdBy',
] as const satisfies readonly (keyof JobRow)[];

/** The column defaults of an INSERT that names only some columns. */
export const JOB_DEFAULTS = {
  key: null,
  priority: 0,
  due: true,
  status: 'new',
  runId: null,
  leasedUntil: null,
  attempt: 0,
  maxAttempts: 5,
  crashes: 0,
  redrives: 0,
  uniqueKey: null,
  uniqueScope: 'outstanding',
  output: 'null',
  error: null,
  metadata: '{}',
  limits: '',
  startedAt: null,
  startedBy: null,
  finishedAt: null,
  finishedBy: null,
} as const satisfies Partial<JobRow>;

/** The table's CHECKs, by name. */
const CHECKS: Readonly<Record<string, (job: JobRow) => boolean>> = {
  finished: ({ status, finishedAt }) => (finishedAt !== null) === isSettled(status),
  'in progress': ({ status, runId }) => status !== 'in-progress' || runId !== null,
  error: ({ status, error }) => status !== 'error' || error !== null,
  attempts: ({ attempt, crashes, maxAttempts }) =>
    isWhole(attempt, 0) && isWhole(crashes, 0) && isWhole(maxAttempts, 1, 1_000),
  priority: ({ priority }) => isWhole(priority, -32_768, 32_767),
  'available at': ({ availableAt }) => Number.isFinite(availableAt),
  names: ({ queue, kind }) => hasLength(queue, 128) && hasLength(kind, 128),
  keys: ({ key, uniqueKey }) => [key, uniqueKey].every((text) => text === null || hasLength(text, 512)),
  metadata: ({ metadata }) => metadata.startsWith('{'),
};

/** @throws DriverError `InvalidInput` */
export function checkJob(candidate: JobCandidate): JobRow {
  if (!isComplete(candidate))
    throw refusal('a column that must have a value has none, or status is no state');
  for (const [name, holds] of Object.entries(CHECKS)) if (!holds(candidate)) throw refusal(name);
  return candidate;
}

function isComplete(candidate: JobCandidate): candidate is JobRow {
  return (
    STATES.some((state) => state === candidate.status) && REQUIRED.every((name) => candidate[name] !== null)
  );
}

function refusal(why: string): DriverError {
  return new DriverError('InvalidInput', `The table of jobs refuses this row: ${why}.`);
}

function isWhole(value: number, least: number, most = 2 ** 31 - 1): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

/** Counts characters, not the halves of surrogate pairs. */
function hasLength(text: string, most: number): boolean {
  return text !== '' && [...text].length <= most;
}
