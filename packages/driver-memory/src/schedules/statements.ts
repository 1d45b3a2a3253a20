import type { DueSchedules, Firing, FoundSchedules, NewSchedule } from '@rowlock/core/driver';
import type { Place } from '../claims/statements/place.js';
import { enqueue } from '../jobs/statements/enqueue.js';
import { type ScheduleRow, toSchedule } from '../rows.js';
import { notify } from '../workers/statements/bell.js';

/** The most schedules that are returned. */
const MOST = 1_000;

export function findSchedules({ database, tx }: Place, names?: readonly string[]): FoundSchedules {
  const schedules = database.tables.schedules
    .find(tx, ({ name }) => names === undefined || names.includes(name))
    .map(({ value }) => toSchedule(value))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return { now: database.clock.now(), schedules: schedules.slice(0, MOST) };
}

export function dueSchedules(place: Place, except: readonly string[], limit: number): DueSchedules {
  const now = place.database.clock.now();
  const due = waiting(place)
    .filter(({ name, at }) => at <= now && !except.includes(name))
    .toSorted((one, other) => one.at - other.at)
    .slice(0, limit);
  return { now, schedules: due.map(toSchedule), nextMs: untilFirst(place) };
}

/** Milliseconds until the first schedule is due. */
export function untilFirst(place: Place): number | null {
  const next = Math.min(...waiting(place).map(({ at }) => at));
  return Number.isFinite(next) ? next - place.database.clock.now() : null;
}

function waiting({ database, tx }: Place): readonly (ScheduleRow & { readonly at: number })[] {
  return database.tables.schedules
    .find(tx, ({ pausedAt }) => pausedAt === null)
    .flatMap(({ value }) => (value.nextAt === null ? [] : { ...value, at: value.nextAt }));
}

export async function setSchedules(
  place: Place,
  schedules: readonly NewSchedule[],
  by: string,
): Promise<void> {
  const { schedules: table } = place.database.tables;
  const updated = { updatedAt: place.database.clock.now(), updatedBy: by };
  for (const { keepsNext, plan, ...given } of schedules) {
    const isSet = await change(place, given.name, (before) => ({
      ...before,
      ...(before.fingerprint === given.fingerprint && before.source === given.source
        ? {}
        : {
            ...given,
            ...updated,
            plan: JSON.stringify(plan),
            nextAt: keepsNext ? before.nextAt : given.nextAt,
          }),
    }));
    const unused = { firedAt: null, pausedAt: null, pausedBy: null };
    if (!isSet)
      table.insert(place.tx, () => ({ ...given, ...updated, ...unused, plan: JSON.stringify(plan) }));
  }
}

export function pauseSchedule(place: Place, name: string, by: string): Promise<boolean> {
  const now = place.database.clock.now();
  return change(place, name, (row) =>
    row.pausedAt === null ? { ...row, pausedAt: now, pausedBy: by } : row,
  );
}

export function resumeSchedule(
  place: Place,
  name: string,
  fingerprint: string,
  nextAt: number | null,
): Promise<boolean> {
  return change(
    place,
    name,
    (row) => ({ ...row, nextAt, pausedAt: null, pausedBy: null }),
    (row) => row.fingerprint === fingerprint && row.pausedAt !== null,
  );
}

export function removeSchedule(place: Place, name: string): Promise<boolean> {
  return change(place, name, () => undefined);
}

/** SKIP LOCKED. */
export async function fireSchedules(place: Place, firings: readonly Firing[]): Promise<readonly string[]> {
  const { database, tx } = place;
  const fired: string[] = [];
  for (const { name, at, fingerprint, nextAt, jobs, wakeUps } of firings) {
    const isDue = (row: ScheduleRow): boolean =>
      row.nextAt === at && row.fingerprint === fingerprint && row.pausedAt === null;
    const [found] = database.tables.schedules.findBy('name', name, tx, isDue);
    if (found === undefined || !found.row.isFreeFor(tx)) continue;
    tx.take(found.row);
    const firedAt = jobs.length > 0 ? database.clock.now() : found.value.firedAt;
    tx.write(found.row, { ...found.value, nextAt, firedAt });
    await enqueue(place, jobs);
    notify(place, wakeUps);
    fired.push(name);
  }
  return fired;
}

/** Locks a schedule, and writes another version of it. Returns whether it was there and `wanted`. */
async function change(
  { database, tx }: Place,
  name: string,
  to: (row: ScheduleRow) => ScheduleRow | undefined,
  wanted: (row: ScheduleRow) => boolean = () => true,
): Promise<boolean> {
  for (const row of database.tables.schedules.rowsBy('name', name)) {
    await tx.lock(row);
    const value = row.seenBy(tx);
    if (value === undefined || !wanted(value)) continue;
    tx.write(row, to(value));
    return true;
  }
  return false;
}
