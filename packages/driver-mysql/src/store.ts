import { hostname } from 'node:os';
import { DriverError, type Enqueued, isDriverError, type State } from '@rowlock/core';
import {
  type ClientEvent,
  despiteDeadlocks,
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
import type { Context } from './context.js';
import { inPackets, NEW_JOBS } from './given.js';
import { change, inParts, list, type MysqlTransaction, query, type Value } from './query.js';
import { type JobViewRow, type MoveRow, toJobView, toWorkerView, type WorkerRow } from './rows.js';
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
    const places = jobs.map(toPlace);
    const packets = inPackets(places.map(({ row }) => row)).length;
    const isJoined = this.on !== this.outside;
    if (packets <= 1 || isJoined) return this.#enqueue(places, isJoined);
    // What does not go into one statement goes into one transaction, which sees what others have committed.
    const { context } = this;
    const together = (tx: MysqlTransaction) => new MysqlStore(context, tx).#enqueue(places, true);
    return despiteDeadlocks(() => this.atomically(together, packets * context.answerMs));
  }

  async #enqueue(places: readonly Place[], inTransaction: boolean): Promise<readonly Enqueued[]> {
    const outcomes = new Array<Enqueued>(places.length);
    let open = places;
    // An INSERT that is refused keeps a lock on the other job's key until the transaction commits, and that job's settlement would
    // wait for it.
    if (inTransaction) open = await this.#findDuplicates(open, outcomes);
    for (let tries = 0; open.length > 0; tries++) {
      if (tries === MOST_TRIES)
        throw new DriverError('SerializationFailure', 'A unique key kept changing hands.');
      const insert = () => this.#insert(withoutTwins(open));
      const inserted = await (inTransaction ? insert() : despiteDeadlocks(insert));
      open = withoutInserted(open, inserted, outcomes);
      // Whoever has the key may be settled before it is looked up: then there is room, so insert again.
      open = await this.#findDuplicates(open, outcomes);
    }
    return outcomes;
  }

  /** Of what goes into one statement all, or, when a unique key is taken, none. @returns the public ids of those that are in */
  async #insert(open: readonly Place[]): Promise<ReadonlySet<string>> {
    const inserted = new Set<string>();
    for (const packet of inPackets(open.map(({ row }) => row))) {
      try {
        await this.#insertPacket(packet);
        for (const { public_id } of packet) inserted.add(public_id);
      } catch (error) {
        if (!isDriverError(error, 'UniqueViolation')) throw error;
      }
    }
    return inserted;
  }

  async #insertPacket(packet: readonly NewJobRow[]): Promise<void> {
    const { sql } = this.context;
    const [row] = packet;
    if (row !== undefined && packet.length === 1) {
      await change(this.on, sql.enqueueOne, valuesOf(row));
    } else {
      const given = NEW_JOBS.rows(packet);
      await change(this.on, sql.enqueue(given.text), given.values);
    }
  }

  async #findDuplicates(open: readonly Place[], outcomes: Enqueued[]): Promise<readonly Place[]> {
    const wanted = open.filter(({ job }) => job.unique !== null);
    const { findDuplicates, findSeen } = this.context.sql;
    const taken = new Map(await takenKeys(this.outside, findDuplicates, wanted, (key) => [key]));
    if (this.on !== this.outside) {
      // A transaction of REPEATABLE READ does not see what was committed since it began, settlements among it. So of what it sees
      // only that counts which nobody else knows: its own.
      const seen = await takenKeys(this.on, findSeen, wanted, (key) => [justBefore(key), key]);
      const known = await this.#committed(seen.map(([, publicId]) => publicId));
      for (const [name, publicId] of seen) if (!known.has(publicId)) taken.set(name, publicId);
    }
    return open.filter(({ job, place }) => {
      const publicId = job.unique && taken.get(takenKey(job.kind, job.unique.key));
      if (!publicId) return true;
      outcomes[place] = { outcome: 'duplicate', publicId };
      return false;
    });
  }

  /** Those of these jobs that others see. */
  async #committed(publicIds: readonly string[]): Promise<ReadonlySet<string>> {
    const known = new Set<string>();
    for (const part of inParts(publicIds)) {
      const wanted = list(part);
      const sql = this.context.sql.committed(wanted.places);
      const rows = await query<{ public_id: string }>(this.outside, sql, wanted.values);
      for (const { public_id } of rows) known.add(public_id);
    }
    return known;
  }

  async list({ status, ...filter }: JobFilter, { limit, before }: Page): Promise<JobPage> {
    const { text, values } = await this.#listOf(status, { ...filter, before });
    const { lockPrefix } = this.context;
    const held = [lockPrefix, lockPrefix, lockPrefix, lockPrefix];
    const rows = await query<JobViewRow>(this.on, text, [...held, ...values, limit + 1]);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return { jobs: page.map(toJobView), next: rows.length > limit && last ? BigInt(last.id) : null };
  }

  /** What is asked for the jobs that show a state. */
  async #listOf(status: State | undefined, filter: Filter): Promise<Asked> {
    const { sql } = this.context;
    if (status !== 'new' && status !== 'in-progress') {
      const { where, values } = conditions({ ...filter, status });
      return { text: sql.list(where), values };
    }
    const { where, values } = conditions(filter);
    const { places, given } = await this.#held(values);
    const list = status === 'new' ? sql.listNew : sql.listInProgress;
    return { text: list(where, places), values: [...given, ...values] };
  }

  async count(filter: JobFilter): Promise<Record<State, number>> {
    const { text, values } = await this.#countOf(filter);
    const rows = await query<{ status: State; jobs: number }>(this.on, text, values);
    const counts: Record<State, number> = { new: 0, 'in-progress': 0, complete: 0, error: 0, cancelled: 0 };
    for (const row of rows) counts[row.status] += Number(row.jobs);
    return counts;
  }

  async #countOf({ status, ...filter }: JobFilter): Promise<Asked> {
    const { sql } = this.context;
    const { where, values } = conditions({ ...filter, status });
    const moves = (['new', 'in-progress'] as const).filter((each) => status === undefined || status === each);
    if (moves.length === 0) return { text: sql.countSettled(where), values };
    const others = conditions(filter);
    const { places, given } = await this.#held(others.values);
    return { text: sql.count(where, others.where, places, moves), values: [...given, ...values] };
  }

  /** What is given to the part of a statement that finds held jobs. */
  async #held(values: readonly Value[]): Promise<{ places: string; given: readonly Value[] }> {
    const workers = list(await this.#aliveWorkers());
    const { lockPrefix } = this.context;
    const given = [...workers.values, ...values, ...workers.values, ...values, lockPrefix];
    return { places: workers.places, given };
  }

  async #aliveWorkers(): Promise<readonly string[]> {
    const { sql, lockPrefix } = this.context;
    const rows = await query<{ id: string }>(this.on, sql.aliveWorkers, [lockPrefix]);
    // A list must not be empty, and no worker has this id.
    return ['0', ...rows.map(({ id }) => id)];
  }

  async move(event: ClientEvent, publicId: string, redrives?: number): Promise<Moved> {
    const { from, to } = TRANSITIONS[event];
    const { sql } = this.context;
    const starts = ({ status }: MoveRow): boolean => (from as readonly State[]).includes(status);
    const [found] = await query<MoveRow & { id: string }>(this.on, sql.find, [redrives ?? null, publicId]);
    if (found === undefined) return { outcome: 'missing' };
    // MySQL has no UPDATE that skips what is locked: lock, look, and change, in one transaction.
    const met = await this.atomically(async (tx) => {
      const [free] = await query<MoveRow>(tx, sql.lockOne, [redrives ?? null, found.id]);
      if (free === undefined || !starts(free) || !free.meant) return free ?? null;
      const [crashed = free] =
        to === 'new' ? await query<{ crashes: string }>(tx, sql.countCrashes, [found.id]) : [];
      await change(tx, sql.move, [to, crashed.crashes, to, to, to, to, to, to, hostname(), to, found.id]);
      return 'moved';
    });
    if (met === 'moved') return { outcome: 'moved' };
    const row = met ?? found;
    const held = row.status === 'in-progress' || (met === null && starts(row));
    return held && row.meant && event === 'cancel'
      ? { outcome: 'running', redrives: row.redrives }
      : { outcome: 'illegal', status: row.status };
  }

  async notify(wakeUps: readonly WakeUp[]): Promise<void> {
    for (const wakeUp of wakeUps) await change(this.on, this.context.sql.ring, [JSON.stringify(wakeUp)]);
  }

  async workers(): Promise<readonly WorkerView[]> {
    const { sql, lockPrefix } = this.context;
    const rows = await query<WorkerRow>(this.on, sql.workers, [lockPrefix, lockPrefix]);
    return rows.map(toWorkerView);
  }

  /**
   * Runs statements that must hold together. In a caller's transaction they do already.
   *
   * @param _answerMs How long they may take; default: as long as one statement.
   */
  protected atomically<Result>(
    work: (tx: MysqlTransaction) => Promise<Result>,
    _answerMs?: number,
  ): Promise<Result> {
    return work(this.on);
  }
}

/** A job that is still to be enqueued, its id, and its place among those that were passed. */
interface Place {
  readonly job: NewJob;
  readonly place: number;
  readonly publicId: string;
  readonly row: NewJobRow;
}

type NewJobRow = Parameters<typeof NEW_JOBS.rows>[0][number] & { readonly public_id: string };

function toPlace(job: NewJob, place: number): Place {
  const publicId = newPublicId();
  const row = {
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
  };
  return { job, place, publicId, row };
}

/** In the order of `enqueueOne`. */
function valuesOf(row: NewJobRow): readonly Value[] {
  const { public_id, queue, kind, job_key, payload, priority, available_at, delay } = row;
  const times = [available_at, delay, available_at, delay];
  const { max_attempts, unique_key, unique_scope, metadata, created_by } = row;
  return [
    ...[public_id, queue, kind, job_key, payload, priority, ...times],
    ...[max_attempts, unique_key, unique_scope, metadata, created_by],
  ];
}

/** A job that has a unique key. */
interface TakenRow {
  taken_key: string;
  public_id: string;
}

/** Those whose unique key no other one before them in this call has. */
function withoutTwins(open: readonly Place[]): readonly Place[] {
  const names = new Set<string>();
  return open.filter(({ job }) => {
    if (job.unique === null) return true;
    const name = takenKey(job.kind, job.unique.key);
    const isFirst = !names.has(name);
    names.add(name);
    return isFirst;
  });
}

/**
 * Those that are not in and have no twin that is: of two in one call with one key the second is a duplicate of the first. To look for
 * that might fail, and the caller would take for refused what is in.
 */
function withoutInserted(
  open: readonly Place[],
  inserted: ReadonlySet<string>,
  outcomes: Enqueued[],
): readonly Place[] {
  const firsts = new Map<string, string>();
  return open.filter(({ job, place, publicId }) => {
    const name = job.unique && takenKey(job.kind, job.unique.key);
    const first = name === null ? undefined : firsts.get(name);
    if (inserted.has(publicId)) {
      outcomes[place] = { outcome: 'enqueued', publicId };
      if (name !== null) firsts.set(name, publicId);
    } else if (first !== undefined) outcomes[place] = { outcome: 'duplicate', publicId: first };
    return outcomes[place] === undefined;
  });
}

/** The jobs that have the unique keys of these, by `takenKey`: in an old snapshot there may be two of one name. */
async function takenKeys(
  on: MysqlTransaction,
  sql: (jobs: number) => string,
  wanted: readonly Place[],
  keys: (key: string) => readonly string[],
): Promise<readonly [name: string, publicId: string][]> {
  const taken: [string, string][] = [];
  for (const part of inParts(wanted)) {
    const names = list(part.map(({ job }) => takenKey(job.kind, job.unique?.key ?? ''))).values;
    const values = names.flatMap((name) => (name === null ? [] : keys(name)));
    const rows = await query<TakenRow>(on, sql(names.length), values);
    for (const row of rows) taken.push([row.taken_key, row.public_id]);
  }
  return taken;
}

/** A text before this one in the order of code points, with as good as nothing in between. */
function justBefore(text: string): string {
  const characters = [...text];
  const last = characters.pop()?.codePointAt(0) ?? 0;
  if (last === 0) return characters.join('');
  // What would come before U+E000 are no characters.
  const before = last === 0xe000 ? 0xd7ff : last - 1;
  return `${characters.join('')}${String.fromCodePoint(before)}\u{10ffff}`;
}

/** As the table has it: see the column. */
function takenKey(kind: string, key: string): string {
  return `${[...kind].length} ${kind}${key}`;
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

/** With `undefined` for what is not asked for. */
type Filter = { readonly [Name in keyof typeof CONDITIONS]?: string | bigint | null | undefined };

interface Asked {
  readonly text: string;
  readonly values: readonly Value[];
}

function conditions(filter: Filter): { where: string; values: Value[] } {
  const asked = (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).filter(
    (name) => filter[name] != null,
  );
  return {
    where: ['TRUE', ...asked.map((name) => CONDITIONS[name])].join(' AND '),
    values: asked.map((name) => filter[name] ?? null),
  };
}
