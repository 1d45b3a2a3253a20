import type { ScheduleView } from '@rowlock/core/types';
import type { Call } from './route.js';

export async function schedules({ rowlock, redact }: Call): Promise<readonly ScheduleView[]> {
  const found = await rowlock.schedules.list();
  if (redact === undefined) return found;
  return found.map((schedule) => ({
    ...schedule,
    payload: redact(schedule.payload, { kind: schedule.kind, publicId: null }, 'payload'),
  }));
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
