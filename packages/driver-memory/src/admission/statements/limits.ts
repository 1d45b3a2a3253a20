import { DriverError } from '@rowlock/core';
import {
  type LimitNumbers,
  type LimitSetting,
  NO_LIMITS,
  type PartsPage,
  type PartsStretch,
  type PrunedSlots,
  partsPage,
  sizesOf,
} from '@rowlock/core/driver';
import type { Place } from '../../claims/statements/place.js';
import type { Row } from '../../engine/row.js';
import type { LimitSlotRow } from '../../engine/rows.js';
import { notify } from '../../workers/statements/bell.js';
import { pausesOf } from './pauses.js';

/** The most limits that are returned. */
const MOST = 1_000;

/** Takes a slot of each limit, in the order of their names. @throws DriverError `LimitReached` */
export function enterLimits(place: Place, limits: string): void {
  for (const { name, max } of sizesOf(limits)) enter(place, name, sizeOf(place, name) ?? max);
}

/** A slot that is new in this transaction is known to others too, as a lock is. */
function enter({ database, tx }: Place, name: string, size: number): void {
  const { limitSlots } = database.tables;
  const now = database.clock.now();
  const slots = limitSlots.rowsBy('name', name);
  const free = slots.filter((row) => isFree(row, now));
  if (slots.length - free.length >= size)
    throw new DriverError(
      'LimitReached',
      `All ${size} slots of the limit ${JSON.stringify(name)} are taken.`,
    );
  const [first] = free;
  if (first === undefined) limitSlots.insert(tx, () => ({ name, madeAt: now, runId: null, until: 0 }));
  else tx.take(first);
}

/** Whether nobody has a slot. */
export function isFree(row: Row<LimitSlotRow>, now: number): boolean {
  if (row.holder !== undefined) return false;
  const [slot] = row.versions();
  return slot === undefined || slot.runId === null || slot.until <= now;
}

/** Marks the slots of this transaction as the run's, which lasts beyond it. */
export function keepSlots({ database, tx }: Place, runId: string, until: number): void {
  for (const { row, value } of database.tables.limitSlots.find(tx, (_, row) => row.holder === tx))
    tx.write(row, { ...value, runId, until });
}

/** Gives back the slots of these runs. After the time of a lease another may hold the lock of its slot. */
export function leaveLimits({ database, tx }: Place, runIds: readonly string[]): void {
  const own = database.tables.limitSlots.find(
    tx,
    ({ runId }, row) => runId !== null && runIds.includes(runId) && row.isFreeFor(tx),
  );
  for (const { row, value } of own) {
    tx.take(row);
    tx.write(row, { ...value, runId: null });
  }
}

/** Deletes slots that nobody has, in one step. */
export function pruneSlots({ database, tx }: Place, beyond: string, ageMs: number): PrunedSlots {
  const now = database.clock.now();
  const old = database.tables.limitSlots.find(
    tx,
    ({ name, madeAt }, row) => name > beyond && madeAt <= now - ageMs && isFree(row, now),
  );
  for (const { row, value } of old) {
    if (sizeOf({ database, tx }, value.name) !== undefined) continue;
    tx.take(row);
    tx.write(row, undefined);
  }
  return { last: null, refused: [] };
}

/** The size that was set for all. */
function sizeOf({ database, tx }: Place, name: string): number | undefined {
  return database.tables.limitSettings.findBy('name', name, tx)[0]?.value.max;
}

export async function setLimit(
  { database, tx }: Place,
  name: string,
  numbers: LimitNumbers | null,
  by: string,
): Promise<void> {
  const { limitSettings } = database.tables;
  for (const { row } of limitSettings.findBy('name', name, tx)) {
    await tx.lock(row);
    tx.write(row, undefined);
  }
  if (numbers !== null)
    limitSettings.insert(tx, () => ({ ...numbers, name, setAt: database.clock.now(), setBy: by }));
  notify({ database, tx }, [{ limit: name }]);
}

/** @param names Default: all. */
export function limitSettings({ database, tx }: Place, names?: readonly string[]): readonly LimitSetting[] {
  return database.tables.limitSettings
    .find(tx, ({ name }) => names?.includes(name) ?? true)
    .map(({ value: { setAt, ...setting } }) => ({ ...setting, setAt: new Date(setAt) }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .slice(0, MOST);
}

export function limitedParts({ database, tx }: Place, stretch: PartsStretch): PartsPage {
  const { queues, beyond, limit } = stretch;
  const now = database.clock.now();
  const paused = pausesOf({ database, tx });
  const found = queues.flatMap((queue, place) => {
    if (paused.queue(queue)) return [];
    const jobs = database.tables.jobs.findBy(
      'queue',
      queue,
      tx,
      ({ status, due, availableAt, limits }) =>
        limits !== NO_LIMITS && status === 'new' && due && availableAt <= now,
    );
    return [...new Set(jobs.map(({ value }) => value.limits))]
      .filter((limits) => place > 0 || limits > beyond)
      .toSorted()
      .map((limits) => ({ queue, limits, paused: paused.limits(limits) }));
  });
  return partsPage(found.slice(0, limit), stretch);
}
