import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type ClientEvent,
  DriverError,
  type Enqueued,
  isDriverError,
  type JobFilter,
  type JobPage,
  type Moved,
  type NewJob,
  type Page,
  type State,
  type Store,
  TRANSITIONS,
  type WakeUp,
  type WorkerView,
} from '@rowlock/core';
import type { Context } from './context.js';
import { NEW_JOBS } from './given.js';
import { change, type MysqlTransaction, query, type Value } from './query.js';
import { type JobViewRow, toJobView, toWorkerView, type WorkerRow } from './rows.js';
import { storableJson, storableText } from './storable.js';

/** How often a unique key may change hands while a job that wants it is enqueued. */
const MOST_TRIES = 10;

/** The verbs that stand alone, on the pool or in a caller's transaction. */
export class MysqlStore implements Store {
  constructor(
    protected readonly context: Context,
    protected readonly on: MysqlTransaction,
    /** Where what others have committed is seen, whatever the isolation of `on`. */
    protected readonly outside: MysqlTransaction = on,
  ) {}

  async enqueue(jobs: readonly NewJob[]): Promise<readonly Enqueued[]> {
    const outcomes = new Array<Enqueued>(jobs.length);
    let open: Place[] = jobs.map((job, place) => ({ job, place, publicId: randomUUID() }));
    // An INSERT that is refused keeps a lock on the other job's key until the caller commits, and that job's settlement would
    // wait for it.
    if (this.on !== this.outside) open = await this.#findDuplicates(open, outcomes, false);
    for (let tries = 0; open.length > 0; tries++) {
      if (tries === MOST_TRIES)
        throw new DriverError('SerializationFailure', 'A unique key kept changing hands.');
      // Of two in this call with one key the second is a duplicate of the first, or of what that is a duplicate of.
      const firsts = withoutTwins(open);
      if (await this.#insert([...firsts])) {
        for (const { place, publicId } of firsts) outcomes[place] = { outcome: 'enqueued', publicId };
        open = open.filter((each) => !firsts.has(each));
      }
      // Whoever has the key may be settled before it is looked up: then there is room, so insert again.
      open = await this.#findDuplicates(open, outcomes, true);
    }
    return outcomes;
  }

  /** All of them, or, when a unique key is taken, none. */
  async #insert(open: readonly Place[]): Promise<boolean> {
    if (open.length === 0) return true;
    const given = NEW_JOBS.rows(
      open.map(({ job, publicId }) => ({
        public_id: publicId,
        queue: storableText(job.queue),
        kind: storableText(job.kind),
        job_key: storableText(job.key),
        payload: storableJson(job.payload),
        priority: job.priority,
        available_at: 'at' in job.available ? job.available.at.getTime() : null,
        delay: 'inMs' in job.available ? job.available.inMs : null,
        max_attempts: job.maxAttempts,
        unique_key: storableText(job.unique?.key ?? null),
        unique_scope: job.unique?.scope ?? null,
        metadata: storableJson(job.metadata),
        created_by: job.createdBy,
      })),
    );
    try {
      await change(this.on, this.context.sql.enqueue(given.text), given.values);
      return true;
    } catch (error) {
      if (isDriverError(error, 'UniqueViolation')) return false;
      throw error;
    }
  }

  /** @param areThere Whether an INSERT has met them, or may have: then it is worth looking at this transaction's own jobs too. */
  async #findDuplicates(open: readonly Place[], outcomes: Enqueued[], areThere: boolean): Promise<Place[]> {
    const wanted = open.filter(({ job }) => job.unique !== null);
    const { findDuplicates, findOwnDuplicates } = this.context.sql;
    const taken = await this.#takenKeys(this.outside, findDuplicates, wanted);
    if (areThere && this.on !== this.outside) {
      const own = await this.#takenKeys(this.on, findOwnDuplicates, wanted);
      for (const [name, publicId] of own) if (!taken.has(name)) taken.set(name, publicId);
    }
    return open.filter(({ job, place }) => {
      const publicId = job.unique && taken.get(uniqueName(job.kind, job.unique.key));
      if (!publicId) return true;
      outcomes[place] = { outcome: 'duplicate', publicId };
      return false;
    });
  }

  /** The jobs that have the unique keys of these, by `uniqueName`. */
  async #takenKeys(
    on: MysqlTransaction,
    sql: (jobs: number) => string,
    wanted: readonly Place[],
  ): Promise<Map<string, string>> {
    const taken = new Map<string, string>();
    for (let from = 0; from < wanted.length; from += 1000) {
      const keys = wanted.slice(from, from + 1000).flatMap(({ job }) => [job.kind, job.unique?.key ?? '']);
      const rows = await query<TakenRow>(on, sql(keys.length / 2), keys);
      for (const row of rows) taken.set(uniqueName(row.kind, row.unique_key), row.public_id);
    }
    return taken;
  }

  async list(filter: JobFilter, { limit, before }: Page): Promise<JobPage> {
    const { where, values } = conditions({ ...filter, before });
    const { sql, lockPrefix } = this.context;
    const held = [lockPrefix, lockPrefix, lockPrefix, lockPrefix];
    const rows = await query<JobViewRow>(this.on, sql.list(where), [...held, ...values, limit + 1]);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return { jobs: page.map(toJobView), next: rows.length > limit && last ? BigInt(last.id) : null };
  }

  async count(filter: JobFilter): Promise<Record<State, number>> {
    const { where, values } = conditions(filter);
    const rows = await query<{ status: State; jobs: number }>(this.on, this.context.sql.count(where), values);
    const counts: Record<State, number> = { new: 0, 'in-progress': 0, complete: 0, error: 0, cancelled: 0 };
    for (const row of rows) counts[row.status] = Number(row.jobs);
    return counts;
  }

  async move(event: ClientEvent, publicId: string): Promise<Moved> {
    const { from, to } = TRANSITIONS[event];
    const { sql } = this.context;
    const [found] = await query<{ id: string; status: State }>(this.on, sql.find, [publicId]);
    if (found === undefined) return { outcome: 'missing' };
    // MySQL has no UPDATE that skips what is locked: lock, look, and change, in one transaction.
    const met = await this.atomically(async (tx) => {
      const [free] = await query<{ status: State }>(tx, sql.lockOne, [found.id]);
      if (free === undefined || !(from as readonly State[]).includes(free.status)) return free ?? null;
      await change(tx, sql.move, [to, to, to, to, to, to, hostname(), to, found.id]);
      return 'moved';
    });
    if (met === 'moved') return { outcome: 'moved' };
    const { status } = met ?? found;
    const held = status === 'in-progress' || (met === null && (from as readonly State[]).includes(status));
    return held && event === 'cancel' ? { outcome: 'running' } : { outcome: 'illegal', status };
  }

  async notify(wakeUps: readonly WakeUp[]): Promise<void> {
    for (const wakeUp of wakeUps) await change(this.on, this.context.sql.ring, [JSON.stringify(wakeUp)]);
  }

  async workers(): Promise<readonly WorkerView[]> {
    const { sql, lockPrefix } = this.context;
    const rows = await query<WorkerRow>(this.on, sql.workers, [lockPrefix, lockPrefix]);
    return rows.map(toWorkerView);
  }

  /** Runs statements that must hold together. In a caller's transaction they do already. */
  protected atomically<Result>(work: (tx: MysqlTransaction) => Promise<Result>): Promise<Result> {
    return work(this.on);
  }
}

/** A job that is still to be enqueued, its id, and its place among those that were passed. */
interface Place {
  readonly job: NewJob;
  readonly place: number;
  readonly publicId: string;
}

/** A job that has a unique key. */
interface TakenRow {
  kind: string;
  unique_key: string;
  public_id: string;
}

/** Those whose unique key no other one before them in this call has. */
function withoutTwins(open: readonly Place[]): ReadonlySet<Place> {
  const names = new Set<string>();
  const firsts = open.filter(({ job }) => {
    if (job.unique === null) return true;
    const name = uniqueName(job.kind, job.unique.key);
    const isFirst = !names.has(name);
    names.add(name);
    return isFirst;
  });
  return new Set(firsts);
}

function uniqueName(kind: string, key: string): string {
  return JSON.stringify([kind, key]);
}

/** One fixed text for each part of a filter, so that the optimizer sees only what is asked for. */
const CONDITIONS = {
  publicId: 'job.public_id = ?',
  queue: 'job.queue = ?',
  kind: 'job.kind = ?',
  key: 'job.`key` = ?',
  status: 'job.status = ?',
  before: 'job.id < ?',
} as const;

function conditions(filter: JobFilter & { readonly before?: bigint | null }): {
  where: string;
  values: Value[];
} {
  const asked = (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).filter(
    (name) => filter[name] != null,
  );
  return {
    where: ['TRUE', ...asked.map((name) => CONDITIONS[name])].join(' AND '),
    values: asked.map((name) => filter[name] ?? null),
  };
}
