import type { NewSchedule, ScheduleRow } from '../src/driver.js';

/** The row of a schedule that was just set, or that is in this state. */
export function scheduleRow(
  { read: _, ...given }: NewSchedule,
  change: Partial<ScheduleRow> = {},
): ScheduleRow {
  const ticks = { tickAt: null, firedAt: null, skipped: 0, skippedTickAt: null, skippedFor: null };
  const state = { broken: null, brokenAt: null, pausedAt: null, pausedBy: null };
  return { ...given, ...ticks, ...state, updatedAt: 0, updatedBy: '', ...change };
}
