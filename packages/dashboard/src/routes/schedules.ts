import { type JobView, ScheduleNotFoundError } from '@rowlock/core';
import type { ScheduleView } from '@rowlock/core/types';
import { Fields } from '../http/fields.js';
import { type Redact, type RedactedJob, redactError, redactMetadata } from '../redact.js';
import { timesIn } from '../schedule-fields.js';
import { UNCHECKED } from '../unchecked.js';
import type { TickView } from '../views.js';
import type { Call } from './route.js';

export async function schedules({ rowlock, redact }: Call): Promise<readonly ScheduleView[]> {
  const found = await rowlock.schedules.list();
  if (redact === undefined) return found;
  return found.map((schedule) => {
    const { kind, payload, metadata, broken } = schedule;
    const job = { kind, publicId: null };
    return {
      ...schedule,
      payload: redact(payload, job, 'payload'),
      metadata: redactMetadata(metadata, job, redact),
      broken: broken && { ...broken, error: redactedError(broken.error, job, redact) },
    };
  });
}

/** What the database has refused may have values of the job. */
function redactedError(message: string, job: RedactedJob, redact: Redact): string {
  return redactError({ code: 'E_BROKEN', message }, job, redact)?.message ?? '';
}

/** The next five times of the schedule of a `name`, or of times that are being typed: `?cron=0 3 * * *&timeZone=UTC`. */
export async function previewSchedule({ rowlock, query }: Call): Promise<readonly Date[]> {
  const name = query.get('name');
  if (name !== null) return rowlock.schedules.preview(name);
  const times = timesIn(new Fields(Object.fromEntries(query)));
  return rowlock.schedules.preview({ handler: { ...UNCHECKED, kind: 'preview' }, payload: null, ...times });
}

/** How many of the newest jobs of a schedule's kind are looked at, and how many ticks are shown. */
const LOOKED_AT = 200;
const TICKS = 20;

/** The last ticks of a schedule that had a job, newest first. */
export async function ticksOfSchedule({ rowlock, query }: Call): Promise<readonly TickView[]> {
  const name = query.get('name') ?? '';
  const schedule = (await rowlock.schedules.list()).find((each) => each.name === name);
  if (schedule === undefined) throw new ScheduleNotFoundError(name);
  const { kind, queue } = schedule;
  const { jobs } = await rowlock.jobs.list({ kind, queue, limit: LOOKED_AT });
  return jobs.flatMap((job) => tickOf(name, job)).slice(0, TICKS);
}

/** The tick is in the part of metadata that is Rowlock's own. */
function tickOf(name: string, { publicId, status, metadata }: JobView): readonly TickView[] {
  const { schedule, scheduledFor, lateMs } = Object(Object(metadata.rowlock).tick);
  if (schedule !== name || typeof scheduledFor !== 'string' || typeof lateMs !== 'number') return [];
  return [{ job: publicId, status, scheduledFor: new Date(scheduledFor), lateMs }];
}

export async function runSchedule({ operator, fields }: Call): Promise<object> {
  return operator.schedules.run(fields.text('name'));
}

export async function pauseSchedule({ operator, fields }: Call): Promise<object> {
  await operator.schedules.pause(fields.text('name'));
  return {};
}

export async function resumeSchedule({ operator, fields }: Call): Promise<object> {
  await operator.schedules.resume(fields.text('name'));
  return {};
}

export async function removeSchedule({ operator, fields }: Call): Promise<object> {
  await operator.schedules.remove(fields.text('name'));
  return {};
}
