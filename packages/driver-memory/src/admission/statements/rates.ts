import { type Rate, type RateNumbers, rateOf, startAt } from '@rowlock/core/driver';
import type { Place } from '../../claims/statements/place.js';
import type { RateRow } from '../../engine/rows.js';
import type { Found } from '../../engine/table.js';

/** Locks the rates in order, and reads them behind the locks. */
export async function takeStarts(
  place: Place,
  rates: readonly Rate[],
  take: string,
): Promise<readonly number[]> {
  const { database, tx } = place;
  for (const { name } of rates) await lock(place, name);
  const nowUs = database.clock.now() * 1_000;
  const starts = rates.flatMap((rate) =>
    rowsOf(place, rate.name).map(({ row, value }) => ({
      row,
      value,
      at: startAt(value.nextUs, nowUs, numbersOf(place, rate)),
    })),
  );
  const isFree = starts.every(({ at }) => at.waitUs === 0);
  for (const { row, value, at } of starts) {
    const taken = { ...value, nextUs: at.takenUs, lastTake: take, beforeUs: value.nextUs };
    tx.write(row, isFree ? taken : { ...value, nextUs: at.waitingUs });
  }
  return starts.map(({ at }) => at.waitUs / 1_000);
}

export async function giveBackStarts(place: Place, names: readonly string[], take: string): Promise<void> {
  for (const name of names) {
    await lock(place, name);
    for (const { row, value } of rowsOf(place, name))
      if (value.lastTake === take) place.tx.write(row, { ...value, nextUs: value.beforeUs, lastTake: null });
  }
}

/** Locks the row of a rate, which the first taker adds. */
async function lock({ database, tx }: Place, name: string): Promise<void> {
  const { rates } = database.tables;
  const [row] = rates.rowsBy('name', name);
  if (row !== undefined) return tx.lock(row);
  const nowUs = database.clock.now() * 1_000;
  rates.insert(tx, () => ({ name, nextUs: nowUs, lastTake: null, beforeUs: nowUs }));
}

function rowsOf({ database, tx }: Place, name: string): readonly Found<RateRow>[] {
  return database.tables.rates.findBy('name', name, tx);
}

/** The numbers that were set for all, or else these. */
function numbersOf({ database, tx }: Place, rate: Rate): RateNumbers {
  return rateOf(database.tables.limitSettings.findBy('name', rate.name, tx)[0]?.value ?? {}) ?? rate;
}
