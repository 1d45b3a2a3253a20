import type { ScheduleView } from '@rowlock/core/types';
import { type Redact, type RedactedJob, redactError } from '../redact.js';
import type { Call } from './route.js';

export async function schedules({ rowlock, redact }: Call): Promise<readonly ScheduleView[]> {
  const found = await rowlock.schedules.list();
  if (redact === undefined) return found;
  return found.map((schedule) => {
    const { kind, payload, broken } = schedule;
    const job = { kind, publicId: null };
    return {
      ...schedule,
      payload: redact(payload, job, 'payload'),
      broken: broken && { ...broken, error: redactedError(broken.error, job, redact) },
    };
  });
}

/** What the database has refused may have values of the job. */
function redactedError(message: string, job: RedactedJob, redact: Redact): string {
  return redactError({ code: 'E_BROKEN', message }, job, redact)?.message ?? '';
}

/** The next five times. */
export async function previewSchedule({ rowlock, query }: Call): Promise<readonly Date[]> {
  return rowlock.schedules.preview(query.get('name') ?? '');
}

export async function runSchedule({ rowlock, fields }: Call): Promise<object> {
  return rowlock.schedules.run(fields.text('name'));
}

export async function pauseSchedule({ rowlock, fields, viewer }: Call): Promise<object> {
  await rowlock.schedules.pause(fields.text('name'), { by: viewer.name });
  return {};
}

export async function resumeSchedule({ rowlock, fields }: Call): Promise<object> {
  await rowlock.schedules.resume(fields.text('name'));
  return {};
}
