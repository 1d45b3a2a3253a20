import {
  type DueSchedules,
  type Firing,
  type FoundSchedules,
  firedOf,
  MOST_FOUND,
  type NewSchedule,
} from '@rowlock/core/driver';
import type { Place } from '../claims/statements/place.js';
import { type ScheduleRow, toSchedule } from '../engine/rows.js';
import { enqueue } from '../jobs/statements/enqueue.js';
import { notify } from '../workers/statements/bell.js';

export function findSchedules(
  { database, tx }: Place,
  which: readonly string[] | { readonly beyond: string },
): FoundSchedules {
  const isPage = 'beyond' in which;
  const schedules = database.tables.schedules
    .find(tx, ({ name }) => (isPage ? name > which.beyond : which.includes(name)))
    .map(({ value }) => toSchedule(value))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return { now: database.clock.now(), schedules: isPage ? schedules.slice(0, MOST_FOUND) : schedules };
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
  for (const { read, plan, ...given } of schedules) {
    const next = { ...given, ...updated, plan: JSON.stringify(plan), broken: null, brokenAt: null };
    const isAsRead = ({ fingerprint, source, nextAt }: ScheduleRow): boolean =>
      read !== null && read.fingerprint === fingerprint && read.source === source && read.nextAt === nextAt;
    const isThere = await change(place, given.name, (before) =>
      isAsRead(before) ? { ...before, ...next } : before,
    );
    const unused = { tickAt: null, firedAt: null, skipped: 0, skippedTickAt: null, skippedFor: null };
    if (!isThere && read === null)
      table.insert(place.tx, () => ({ ...next, ...unused, pausedAt: null, pausedBy: null }));
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
  for (const firing of firings) {
    const { name, at, fingerprint, nextAt, tickAt, jobs, wakeUps } = firing;
    const isDue = (row: ScheduleRow): boolean =>
      row.nextAt === at && row.fingerprint === fingerprint && row.pausedAt === null;
    const [found] = database.tables.schedules.findBy('name', name, tx, isDue);
    if (found === undefined || !found.row.isFreeFor(tx)) continue;
    tx.take(found.row);
    const [came] = firedOf([firing], await enqueue(place, jobs));
    const { value } = found;
    const skippedFor = came?.skippedFor ?? null;
    tx.write(found.row, {
      ...{ ...value, nextAt, tickAt: Math.max(value.tickAt ?? tickAt, tickAt), broken: null, brokenAt: null },
      firedAt: came?.fires === true ? database.clock.now() : value.firedAt,
      ...(skippedFor !== null && { skipped: value.skipped + 1, skippedTickAt: tickAt, skippedFor }),
    });
    notify(place, wakeUps);
    fired.push(name);
  }
  return fired;
}

export async function noteBroken(
  place: Place,
  { name, at, fingerprint }: Pick<Firing, 'name' | 'at' | 'fingerprint'>,
  broken: string,
): Promise<void> {
  const now = place.database.clock.now();
  await change(
    place,
    name,
    (row) => ({ ...row, broken, brokenAt: row.brokenAt ?? now }),
    (row) => row.nextAt === at && row.fingerprint === fingerprint,
  );
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
