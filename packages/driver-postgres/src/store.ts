import { hostname } from 'node:os';
import { DriverError, type Enqueued, type State } from '@rowlock/core';
import {
  type ClientEvent,
  type JobFilter,
  type JobPage,
  type Moved,
  type NewJob,
  newPublicId,
  type Page,
  type Store,
  TRANSITIONS,
  type WakeUp,
  type WorkerView,
} from '@rowlock/core/driver';
import type { QueryResultRow } from 'pg';
import type { Context } from './context.js';
import { type GivenJob, newJobs } from './given.js';
import { type PostgresTransaction, query } from './query.js';
import { type JobViewRow, type MoveRow, toJobView, toWorkerView, type WorkerRow } from './rows.js';

/** How often a unique key may change hands while a job that wants it is enqueued. */
const MOST_TRIES = 10;

/** How many jobs one statement inserts: while the server inserts them, the next ones are written out for it. */
const PER_STATEMENT = 1_000;

/** What is to be asked, in one statement or several, made when it is about to be sent. */
export type Question = () => readonly Statement[];

export interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

/** The verbs that stand alone, on the pool or in a caller's transaction. */
export class PostgresStore implements Store {
  /** @param patient For what may read much, and take as long as that takes. */
  constructor(
    protected readonly context: Context,
    protected readonly on: PostgresTransaction,
    private readonly patient: PostgresTransaction = on,
  ) {}

  async enqueue(jobs: readonly NewJob[], wakeUps: readonly WakeUp[] = []): Promise<readonly Enqueued[]> {
    const isAtomic = jobs.length <= 1 || jobs.every(({ unique }) => unique === null);
    // Else some would be in when the look for those that have the others' keys fails, and the caller would take all for refused.
    return isAtomic
      ? this.#enqueue(jobs, wakeUps)
      : this.atomically((store) => store.#enqueue(jobs, wakeUps));
  }

  async #enqueue(jobs: readonly NewJob[], wakeUps: readonly WakeUp[]): Promise<readonly Enqueued[]> {
    const outcomes = new Array<Enqueued>(jobs.length);
    let open: Place[] = jobs.map((job, place) => ({ job, place, publicId: newPublicId() }));
    for (let tries = 0; open.length > 0; tries++) {
      if (tries === MOST_TRIES)
        throw new DriverError('SerializationFailure', 'A unique key kept changing hands.');
      open = await this.#insert(open, outcomes, wakeUps);
      // Whoever has the key may be settled before it is looked up: then there is room, so insert again.
      open = await this.#findDuplicates(open, outcomes);
    }
    return outcomes;
  }

  async #insert(open: Place[], outcomes: Enqueued[], wakeUps: readonly WakeUp[]): Promise<Place[]> {
    const unique = open.some(({ job }) => job.unique !== null);
    const wakes = wakeUps.length > 0;
    const calls = wakes ? [this.context.channel, texts(wakeUps)] : [];
    const rows = await this.askAll<{ public_id: string }>(
      pieces(open, PER_STATEMENT).map(
        (some) => () =>
          newJobs(some).map((given) => ({
            text: this.context.sql.enqueue({ given: given.text, unique, wakes }),
            values: [...given.values, ...calls],
          })),
      ),
    );
    const inserted = unique ? new Set(rows.map(({ public_id }) => public_id)) : undefined;
    return open.filter(({ place, publicId }) => {
      if (inserted?.has(publicId) === false) return true;
      outcomes[place] = { outcome: 'enqueued', publicId };
      return false;
    });
  }

  async #findDuplicates(open: Place[], outcomes: Enqueued[]): Promise<Place[]> {
    if (open.length === 0) return open;
    const rows = await query<{ place: bigint; public_id: string }>(this.on, this.context.sql.findDuplicates, [
      open.map(({ job }) => job.kind),
      open.map(({ job }) => job.unique?.key ?? null),
    ]);
    const found = new Map(rows.map(({ place, public_id }) => [Number(place) - 1, public_id]));
    return open.filter(({ place }, index) => {
      const publicId = found.get(index);
      if (publicId === undefined) return true;
      outcomes[place] = { outcome: 'duplicate', publicId };
      return false;
    });
  }

  async list(filter: JobFilter, { limit, before }: Page): Promise<JobPage> {
    const { publicId, queue, kind, key, status } = filter;
    const { sql, lockClass } = this.context;
    const values = [lockClass.unsigned, publicId, queue, kind, key, status, before, limit + 1];
    // One job is found by an index.
    const on = publicId === undefined ? this.patient : this.on;
    const text = status === 'new' ? sql.listNew : status === 'in-progress' ? sql.listInProgress : sql.list;
    const rows = await query<JobViewRow>(on, text, values);
    const page = rows.slice(0, limit);
    return { jobs: page.map(toJobView), next: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
  }

  async count({ queue, kind, key, status }: JobFilter): Promise<Record<State, number>> {
    const { sql, lockClass } = this.context;
    const values = [lockClass.unsigned, queue, kind, key, status];
    const rows = await query<{ status: State; jobs: bigint }>(this.patient, sql.count, values);
    const counts: Record<State, number> = { new: 0, 'in-progress': 0, complete: 0, error: 0, cancelled: 0 };
    for (const row of rows) counts[row.status] += Number(row.jobs);
    return counts;
  }

  async move(event: ClientEvent, publicId: string, redrives?: number): Promise<Moved> {
    const { from, to } = TRANSITIONS[event];
    const [row] = await query<MoveRow>(this.on, this.context.sql.move, [
      publicId,
      from,
      to,
      hostname(),
      redrives,
    ]);
    if (row === undefined) return { outcome: 'missing' };
    const { status, free, moved } = row;
    if (moved) return { outcome: 'moved' };
    const held = status === 'in-progress' || (!free && (from as readonly State[]).includes(status));
    return held && row.meant && event === 'cancel'
      ? { outcome: 'running', redrives: row.redrives }
      : { outcome: 'illegal', status };
  }

  async notify(wakeUps: readonly WakeUp[]): Promise<void> {
    const { sql, channel } = this.context;
    await query(this.on, sql.notify, [channel, texts(wakeUps)]);
  }

  async workers(): Promise<readonly WorkerView[]> {
    const { sql, lockClass } = this.context;
    const rows = await query<WorkerRow>(this.on, sql.workers, [lockClass.unsigned]);
    return rows.map(toWorkerView);
  }

  /** Asks what is asked often: all of it takes effect, or nothing. In a caller's transaction it does in any case. */
  protected async askAll<Row extends QueryResultRow>(questions: readonly Question[]): Promise<Row[]> {
    const rows: Row[] = [];
    // All are made first: what one of them refuses is refused before anything is inserted.
    for (const { text, values } of questions.flatMap((question) => question()))
      rows.push(...(await query<Row>(this.on, text, values)));
    return rows;
  }

  /** Has a store do what must hold together. In a caller's transaction it does already. */
  protected atomically<Result>(work: (store: PostgresStore) => Promise<Result>): Promise<Result> {
    return work(this);
  }
}

function pieces<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, place) =>
    items.slice(place * size, (place + 1) * size),
  );
}

/** Wake-ups as notifications carry them. */
export function texts(wakeUps: readonly WakeUp[]): string[] {
  return wakeUps.map((wakeUp) => JSON.stringify(wakeUp));
}

/** A job that is still to be enqueued, its id, and its place among those that were passed. */
interface Place extends GivenJob {
  readonly place: number;
}
