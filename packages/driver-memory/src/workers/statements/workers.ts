import { storableJson, type WorkerInfo, type WorkerLines, type WorkerView } from '@rowlock/core/driver';
import type { Place } from '../../claims/statements/place.js';
import { toWorkerView, type WorkerRow } from '../../engine/rows.js';
import { isAlive } from './anchor.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export function addWorker({ database, tx }: Place, given: WorkerInfo): WorkerRow {
  const { name, host, pid, queues, schedules = [], kinds = {} } = given;
  const { concurrency = null, version = null, memory = null } = given;
  const lists = { queues: [...queues], schedules: [...schedules], kinds: { ...kinds } };
  const info = { name, host, pid, ...lists, concurrency, version, memory };
  const startedAt = database.clock.now();
  return database.tables.workers.insert(tx, (id) => ({
    id: String(id),
    info,
    startedAt,
    stoppedAt: null,
    aliveUntil: null,
    prunesUntil: null,
    lines: '{}',
    running: '[]',
  }));
}

/** Changes nothing unless the worker's row was deleted. */
export function keepWorker({ database, tx }: Place, worker: WorkerRow): void {
  const { workers } = database.tables;
  if (workers.rowsBy('id', worker.id).length === 0) workers.insert(tx, () => worker);
}

/** @returns whether the worker has not stopped. */
export async function beat({ database, tx }: Place, id: string, forMs: number): Promise<boolean> {
  const [found] = database.tables.workers.findBy('id', id, tx, ({ stoppedAt }) => stoppedAt === null);
  if (found === undefined) return false;
  await tx.lock(found.row);
  tx.write(found.row, { ...found.value, aliveUntil: database.clock.now() + forMs });
  return true;
}

/** May come after the worker's end. */
export async function reportLines({ database, tx }: Place, id: string, lines: WorkerLines): Promise<void> {
  for (const { row } of database.tables.workers.findBy('id', id, tx)) {
    await tx.lock(row);
    const worker = row.seenBy(tx);
    if (worker?.stoppedAt === null) tx.write(row, { ...worker, lines: storableJson(lines) });
  }
}

export async function stopWorker({ database, tx }: Place, id: string): Promise<void> {
  for (const { row, value } of database.tables.workers.findBy('id', id, tx)) {
    await tx.lock(row);
    tx.write(row, {
      ...value,
      stoppedAt: database.clock.now(),
      aliveUntil: null,
      lines: '{}',
      running: '[]',
    });
  }
}

export function workers(place: Place): readonly WorkerView[] {
  const { database, tx } = place;
  const since = database.clock.now() - HOUR_MS;
  return database.tables.workers
    .find(tx, ({ id, startedAt, stoppedAt }) => isAlive(place, id) || (stoppedAt ?? startedAt) > since)
    .map(({ value }) => toWorkerView(value, isAlive(place, value.id)))
    .toReversed();
}

/** A live worker may be without its session for a moment. Workers that did not report their stop are therefore kept for a month. */
export async function forgetWorkers(place: Place): Promise<void> {
  const { database, tx } = place;
  const before = database.clock.now() - DAY_MS;
  const gone = database.tables.workers.find(
    tx,
    ({ id, startedAt, stoppedAt, aliveUntil }) =>
      (stoppedAt ?? aliveUntil ?? startedAt + 30 * DAY_MS) < before && !isAlive(place, id),
  );
  for (const { row } of gone) {
    await tx.lock(row);
    tx.write(row, undefined);
  }
}
