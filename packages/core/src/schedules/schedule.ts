import type { StandardSchemaV1 } from '@standard-schema/spec';
import { newJob } from '../client/new-job.js';
import type { SchedulePlan } from '../driver/schedule-store.js';
import { InvalidInputError } from '../errors.js';
import type { Declared } from '../handler/defaults.js';
import { checkEnqueueable, type Enqueueable } from '../handler/enqueueable.js';
import { checkName, checkWhole, checkWord } from '../input.js';
import type { EnqueueOptions } from '../job/enqueue-options.js';
import { checkOptions } from '../known-options.js';
import { MOST_MISSED, OVERLAPS, type ScheduleTimes, timingOf } from './timing.js';

/** A job that is enqueued at times of its own. */
export type Schedule<Schema extends StandardSchemaV1 = StandardSchemaV1> = ScheduledJob<Schema> &
  ScheduleTimes;

/** What a tick enqueues: as `enqueue` would. */
export interface ScheduledJob<Schema extends StandardSchemaV1>
  extends Pick<
    EnqueueOptions<StandardSchemaV1.InferInput<Schema>>,
    'payload' | 'key' | 'priority' | 'metadata' | 'attempts'
  > {
  /** The handler. In a program without its code: `{ kind, payload }`, with the payload's schema. */
  readonly handler: Enqueueable<Schema>;
}

/**
 * Checks a schedule, with its payload's type. Pass it to `createRowlock({ schedules: { name: … } })`.
 *
 * @throws InvalidInputError when an option is of the wrong form.
 * @example
 * const nightly = defineSchedule({
 *   handler: Report, payload: { of: 'yesterday' }, cron: '0 3 * * *', timeZone: 'Europe/Berlin',
 * });
 */
export function defineSchedule<Schema extends StandardSchemaV1>(
  schedule: Schedule<Schema>,
): Schedule<Schema> {
  checkSchedule('schedule', schedule);
  return schedule;
}

/**
 * The plan of a schedule. A promise, as the payload's schema may be asynchronous.
 *
 * @throws InvalidInputError, InvalidPayloadError
 */
export async function planOf(name: string, schedule: Schedule, declared?: Declared): Promise<SchedulePlan> {
  checkName('The name of a schedule', name);
  const timing = checkSchedule(`schedule ${JSON.stringify(name)}`, schedule);
  const { handler, missed = 'once', overlap = 'skip' } = schedule;
  const { queue, kind, key, payload, priority, maxAttempts, metadata, limits } = await newJob(
    // Encoded anew each time, the plan would never be the same.
    { ...handler, codec: undefined },
    schedule,
    declared,
  );
  return {
    job: { queue, kind, key, payload, priority, maxAttempts, metadata, limits },
    timing,
    missed,
    overlap,
  };
}

/** @throws InvalidInputError */
function checkSchedule(what: string, schedule: Schedule): SchedulePlan['timing'] {
  checkOptions(`The ${what}`, schedule, OPTIONS);
  if (schedule.handler === undefined)
    throw new InvalidInputError(`The ${what} needs a handler: { handler: Report, payload, cron }.`);
  checkEnqueueable(schedule.handler);
  checkPolicies(what, schedule);
  return timingOf(what, schedule);
}

function checkPolicies(what: string, { missed = 'once', overlap = 'skip' }: ScheduleTimes): void {
  checkWord(`overlap of the ${what}`, overlap, OVERLAPS);
  if (missed === 'skip' || missed === 'once') return;
  const max: unknown = Object(Object(missed).all).max;
  if (max === undefined)
    throw new InvalidInputError(`missed of the ${what} must be 'skip', 'once' or { all: { max } }.`);
  checkOptions(`missed of the ${what}`, missed, ['all']);
  checkOptions(`missed.all of the ${what}`, missed.all, ['max']);
  checkWhole(`missed.all.max of the ${what}`, max, 1, MOST_MISSED);
  if (overlap === 'skip')
    throw new InvalidInputError(
      `The ${what} enqueues all that it missed, and its overlap 'skip' would leave one: add overlap: 'queue' or 'allow'.`,
    );
}

const OPTIONS: readonly string[] = [
  'handler',
  'payload',
  'key',
  'priority',
  'metadata',
  'attempts',
  'cron',
  'timeZone',
  'every',
  'anchor',
  'missed',
  'overlap',
  'jitter',
] satisfies (keyof Schedule)[];
