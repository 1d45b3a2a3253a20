import {
  type NewPause,
  namesIn,
  type PauseMode,
  type PauseTarget,
  type PauseView,
  wakeUpFor,
} from '@rowlock/core/driver';
import type { Place } from '../../claims/statements/place.js';
import type { PauseRow } from '../../engine/rows.js';
import type { JobRow } from '../../jobs/job-row.js';
import { notify } from '../../workers/statements/bell.js';

/** The most pauses that are returned. */
const MOST = 1_000;

/** What the pauses that have not ended say of jobs. */
export interface Pauses {
  readonly queue: (queue: string) => boolean;
  readonly kind: (kind: string) => boolean;
  readonly limits: (text: string) => boolean;
  readonly job: (job: Pick<JobRow, 'queue' | 'kind' | 'limits'>) => boolean;
  /** Milliseconds until the first of them ends. Null if none does. */
  readonly firstEndMs: number | null;
}

export function pausesOf(place: Place): Pauses {
  const live = livePauses(place);
  const names = (wanted: PauseTarget['scope']): ReadonlySet<string> =>
    new Set(live.filter(({ scope }) => scope === wanted).map(({ name }) => name));
  const [all, queues, kinds, limited] = [names('all'), names('queue'), names('kind'), names('limit')];
  const queue = (name: string): boolean => all.size > 0 || queues.has(name);
  const kind = (name: string): boolean => kinds.has(name);
  const limits = (text: string): boolean => namesIn(text).some((name) => limited.has(name));
  const ends = live.flatMap(({ until }) => until ?? []);
  return {
    queue,
    kind,
    limits,
    job: (job) => queue(job.queue) || kind(job.kind) || limits(job.limits),
    firstEndMs: ends.length === 0 ? null : Math.min(...ends) - place.database.clock.now(),
  };
}

function livePauses({ database, tx }: Place): readonly PauseRow[] {
  const now = database.clock.now();
  return database.tables.pauses
    .find(tx, ({ until }) => until === null || until > now)
    .map(({ value }) => value);
}

export async function pause(
  place: Place,
  { until, ...given }: NewPause,
  mode: PauseMode = 'replace',
): Promise<void> {
  const { database, tx } = place;
  const endsLater = (other: number | null): boolean =>
    other === null || (until !== null && other >= until.getTime());
  const stays = livePauses(place).some(
    (live) => live.scope === given.scope && live.name === given.name && endsLater(live.until),
  );
  if (mode === 'extend' && stays) return;
  await resume(place, given);
  const pausedAt = database.clock.now();
  database.tables.pauses.insert(tx, () => ({ ...given, until: until?.getTime() ?? null, pausedAt }));
  for (const { row } of database.tables.pauses.find(
    tx,
    (other, row) => (other.until ?? pausedAt + 1) <= pausedAt && row.isFreeFor(tx),
  )) {
    tx.take(row);
    tx.write(row, undefined);
  }
}

export async function resume({ database, tx }: Place, target: PauseTarget): Promise<void> {
  const { pauses } = database.tables;
  for (const { row } of pauses.findBy('name', target.name, tx, ({ scope }) => scope === target.scope)) {
    await tx.lock(row);
    tx.write(row, undefined);
  }
  notify({ database, tx }, [wakeUpFor(target)]);
}

export function pauses(place: Place): readonly PauseView[] {
  const placeOf = ({ scope, name }: PauseTarget): string => `${scope}\n${name}`;
  return livePauses(place)
    .map(({ until, pausedAt, ...row }) => ({
      ...row,
      until: until === null ? null : new Date(until),
      pausedAt: new Date(pausedAt),
    }))
    .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
    .slice(0, MOST);
}
