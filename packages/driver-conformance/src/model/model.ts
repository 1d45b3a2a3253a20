import {
  type ClientEvent,
  isLegal,
  isSettled,
  type SettlingEvent,
  type State,
  TRANSITIONS,
} from '@rowlock/core';
import {
  ACTORS,
  type Actor,
  CALLERS,
  type Caller,
  type Command,
  type Filter,
  type Wanted,
} from './command.js';

/** What can change of a job. */
interface Row {
  readonly status: State;
  readonly attempt: number;
  readonly crashes: number;
  /** Whether its time has come. */
  readonly isAvailable: boolean;
  /** Whether a claim may find it: its time had come when it was written, or a survey has seen that it has. */
  readonly isDue: boolean;
  readonly run: string | null;
  readonly isLeaseOver: boolean;
  readonly output: string | null;
  readonly error: string | null;
}

interface ModelJob {
  readonly name: string;
  readonly place: number;
  readonly wanted: Wanted;
  /** As it is committed; null until then, and for good when it never is. */
  row: Row | null;
  holder: Transaction | null;
  readonly runs: ModelRun[];
}

/** The record of a run, as far as it concerns one job. */
interface ModelRun {
  readonly run: string;
  readonly worker: Worker;
  outcome: string | null;
  progress: string | null;
}

interface Worker {
  readonly name: string;
  alive: boolean;
}

/** A transaction, of a claim or of an application. */
class Transaction {
  readonly rows = new Map<ModelJob, Row>();
  readonly endings: (() => void)[] = [];
  /** The jobs that its owner was given, now or when it leased them, and how they were then. */
  readonly held = new Map<ModelJob, Row>();
  /** Those of them that it has settled. */
  readonly settled = new Set<ModelJob>();
  from: State = 'new';
  run: string | null = null;
  /** Crashes by job, as `startRun` told them. */
  counted: ReadonlyMap<ModelJob, number> = new Map();
  hasSettled = false;
  effects: string[] = [];
  hasWritten = false;
  hasUndone = false;
}

interface ModelLease {
  readonly run: string;
  readonly jobs: ReadonlyMap<ModelJob, Row>;
  readonly counted: ReadonlyMap<ModelJob, number>;
}

/** What a command leads to. */
export type Result = unknown;

/** What a driver does, without a database: small enough to be seen to be right. Nobody waits in it. */
export class Model {
  readonly #jobs: ModelJob[] = [];
  readonly #leases: ModelLease[] = [];
  readonly #workers: Worker[] = [];
  readonly #transactions = new Map<Actor | Caller, Transaction>();
  readonly #sessions = new Map<Actor, Worker>();
  readonly #effects: string[] = [];
  #runs = 0;

  /** The command as it can be done now: by the next who can, with jobs, runs and leases that are there. */
  find(drawn: Command): Command | undefined {
    const command = this.#numbered(drawn);
    if (!('by' in command)) return this.#allows(command) ? command : undefined;
    const cast: readonly (Actor | Caller)[] = isCaller(command.by) ? CALLERS : ACTORS;
    const first = cast.indexOf(command.by);
    const others = [...cast.slice(first), ...cast.slice(0, first)];
    return others.map((by) => doneBy(command, by)).find((each) => this.#allows(each));
  }

  #numbered(drawn: Command): Command {
    const jobs = Math.max(1, this.#jobs.length);
    switch (drawn.do) {
      case 'claim':
        return { ...drawn, beyond: drawn.beyond && drawn.beyond % jobs };
      case 'settle':
        return { ...drawn, stranger: drawn.stranger && drawn.stranger % jobs };
      case 'firstOutstanding':
        return { ...drawn, before: drawn.before % jobs };
      case 'move':
      case 'dawn':
        return { ...drawn, job: drawn.job % jobs };
      case 'noteRun':
        return { ...drawn, run: drawn.run % Math.max(1, this.#runs) };
      case 'lockLeased':
        return { ...drawn, lease: drawn.lease % Math.max(1, this.#leases.length) };
      default:
        return drawn;
    }
  }

  /** Whether this can be done now, and would not wait for somebody. */
  #allows(command: Command): boolean {
    switch (command.do) {
      case 'enqueue':
        return command.jobs.every(({ kind, unique }) => !this.#isDisputed(kind, unique?.key, command.by));
      case 'end':
        return this.#transactions.has(command.by);
      case 'claim': {
        const tx = this.#transactions.get(command.by);
        const { beyond } = command;
        const canLock = tx === undefined || (tx.from === 'new' && !tx.hasWritten);
        return canLock && (beyond === null || this.#committed(beyond) !== undefined);
      }
      case 'lockSiblings': {
        const tx = this.#transactions.get(command.by);
        return (
          tx?.from === 'new' && !tx.hasWritten && (command.queue !== null || firstKeyed(tx) !== undefined)
        );
      }
      case 'firstOutstanding':
        return (
          this.#transactions.get(command.by) !== undefined && this.#committed(command.before) !== undefined
        );
      case 'startRun': {
        const tx = this.#transactions.get(command.by);
        return tx !== undefined && tx.run === null && tx.held.size > 0 && !tx.hasSettled;
      }
      case 'noteRun':
        return (
          command.run < this.#runs &&
          ![...this.#transactions.values()].some(({ endings }) => endings.length > 0)
        );
      case 'write': {
        const tx = this.#transactions.get(command.by);
        return tx !== undefined && tx.held.size > 0 && !tx.hasSettled && !tx.hasUndone;
      }
      case 'undo':
        return this.#transactions.get(command.by)?.hasSettled === false;
      case 'settle': {
        const { stranger } = command;
        const tx = this.#transactions.get(command.by);
        return (
          tx !== undefined &&
          tx.held.size > 0 &&
          (stranger === null || this.#committed(stranger) !== undefined)
        );
      }
      case 'commit':
        return (this.#transactions.get(command.by)?.held.size ?? 0) > 0;
      case 'rollback':
        return this.#transactions.has(command.by);
      case 'release': {
        const tx = this.#transactions.get(command.by);
        const isAsItWas = tx?.from === 'new' && !tx.hasSettled && (!tx.hasWritten || tx.hasUndone);
        return isAsItWas && tx.held.size > 0 && tx.run !== null;
      }
      case 'lease': {
        const tx = this.#transactions.get(command.by);
        return tx !== undefined && tx.held.size > 0 && !tx.hasWritten && tx.from === 'new';
      }
      case 'lockLeased': {
        const lease = this.#leases[command.lease];
        const tx = this.#transactions.get(command.by);
        return (
          lease !== undefined &&
          tx === undefined &&
          [...lease.jobs.keys()].every(({ holder }) => holder === null)
        );
      }
      case 'move': {
        const job = this.#jobs[command.job];
        if (job === undefined) return false;
        const { kind, unique } = job.wanted;
        return command.event === 'cancel' || !this.#isDisputed(kind, unique?.key, command.by);
      }
      case 'dawn': {
        const job = this.#committed(command.job);
        return job?.row?.status === 'new' && !job.row.isAvailable && job.holder === null;
      }
      case 'crash':
        return this.#transactions.has(command.by) || this.#sessions.has(command.by);
      case 'stop':
        return this.#sessions.has(command.by);
      default:
        return true;
    }
  }

  /** Does it, and says what a driver has to answer. */
  apply(command: Command): Result {
    switch (command.do) {
      case 'enqueue':
        return this.#enqueue(command.jobs, isCaller(command.by) ? this.#open(command.by) : undefined);
      case 'end':
        return this.#end(command.by, command.how);
      case 'claim':
        return this.#claim(command);
      case 'lockSiblings':
        return this.#lockSiblings(command);
      case 'firstOutstanding':
        return this.#firstOutstanding(command);
      case 'startRun':
        return this.#startRun(command.by);
      case 'noteRun':
        return this.#noteRun(`run ${command.run}`);
      case 'write': {
        const tx = this.#open(command.by);
        tx.hasWritten = true;
        tx.effects.push([...tx.held.keys()].map(({ name }) => name).join(', '));
        return undefined;
      }
      case 'undo': {
        const tx = this.#open(command.by);
        tx.effects = [];
        tx.hasUndone = true;
        return undefined;
      }
      case 'settle':
        return this.#settle(command);
      case 'release':
        return this.#release(command.by);
      case 'commit':
      case 'rollback':
        return this.#end(command.by, command.do);
      case 'lease':
        return this.#lease(command);
      case 'lockLeased':
        return this.#lockLeased(command);
      case 'reclaim':
        return this.#reclaim(command.dead);
      case 'survey':
        return this.#survey(command.kinds);
      case 'move':
        return this.#move(command.event, command.job);
      case 'list':
        return this.#list(command.filter, command.limit);
      case 'count':
        return this.#count(command.filter);
      case 'workers':
        return this.#workers.map(({ name, alive }) => ({ name, alive }));
      case 'dawn':
        return this.#dawn(command.job);
      case 'look':
        return this.tables();
      case 'crash':
        return this.#crash(command.by, command.how);
      case 'stop':
        return this.#stop(command.by);
    }
  }

  /** What the tables hold for everybody to see. */
  tables(): Result {
    return {
      jobs: this.#all().map(({ name, wanted, row, runs }) => ({
        ...asWanted(name, wanted),
        status: row.status,
        attempt: row.attempt,
        crashes: row.crashes,
        isAvailable: row.isAvailable,
        isFinished: isSettled(row.status),
        run: row.run,
        unique: wanted.unique?.key ?? null,
        output: row.output,
        error: row.error,
        runs: runs.map(({ run, worker, outcome, progress }) => ({
          run,
          worker: worker.name,
          outcome,
          isFinished: outcome !== null,
          progress,
        })),
      })),
      effects: [...this.#effects].sort(),
    };
  }

  /** Everybody who has a transaction open gives it up. */
  end(): void {
    for (const who of [...this.#transactions.keys()]) this.#end(who, 'rollback');
  }

  #enqueue(jobs: readonly Wanted[], tx: Transaction | undefined): Result {
    return jobs.map((wanted) => {
      const { unique, kind, available } = wanted;
      const there = this.#jobs.find((job) => hasKey(job, seen(job, tx), kind, unique?.key));
      if (there !== undefined) return `duplicate of ${there.name}`;
      const job: ModelJob = {
        name: `job ${this.#jobs.length}`,
        place: this.#jobs.length,
        wanted,
        row: null,
        holder: null,
        runs: [],
      };
      const row: Row = {
        status: 'new',
        attempt: 0,
        crashes: 0,
        isAvailable: available !== 'tomorrow',
        isDue: available !== 'tomorrow',
        run: null,
        isLeaseOver: false,
        output: null,
        error: null,
      };
      this.#jobs.push(job);
      if (tx === undefined) job.row = row;
      else tx.rows.set(job, row);
      return `enqueued ${job.name}`;
    });
  }

  #claim({ by, queue, kinds, beyond, busy }: Extract<Command, { do: 'claim' }>): Result {
    const tx = this.#open(by);
    const line = beyond === null ? undefined : this.#jobs[beyond];
    const [first] = this.#jobs
      .filter((job) => {
        const row = seen(job, tx);
        const { wanted } = job;
        return (
          row?.status === 'new' &&
          row.isDue &&
          row.isAvailable &&
          isFree(job, tx) &&
          wanted.queue === queue &&
          kinds.includes(wanted.kind) &&
          (wanted.key === null || !busy.includes(wanted.key)) &&
          (line === undefined || inOrder(line, job) < 0)
        );
      })
      .sort(inOrder);
    return first === undefined ? null : this.#take(first, tx);
  }

  #lockSiblings({ by, queue, key, limit }: Extract<Command, { do: 'lockSiblings' }>): Result {
    const tx = this.#open(by);
    const own = queue === null ? firstKeyed(tx)?.wanted : undefined;
    const entity = own ?? { queue, key };
    const siblings = this.#jobs.filter((job) => {
      const row = seen(job, tx);
      if (job.wanted.queue !== entity.queue || job.wanted.key !== entity.key || row === null) return false;
      return row.status === 'in-progress' || (row.status === 'new' && row.isAvailable);
    });
    if (!siblings.every((job) => isFree(job, tx))) {
      // Nothing is left to do but this, and until then some databases keep the locks that it has.
      this.#end(by, 'rollback');
      return { refused: 'LockNotAvailable' };
    }
    for (const job of siblings) job.holder = tx;
    const running = siblings.filter((job) => seen(job, tx)?.status === 'in-progress');
    const others = siblings.filter((job) => !running.includes(job));
    return [...running, ...others].slice(0, limit).map((job) => this.#take(job, tx));
  }

  #firstOutstanding({ by, key, kinds, before }: Extract<Command, { do: 'firstOutstanding' }>): Result {
    const tx = this.#open(by);
    const first = this.#jobs.find((job) => {
      const row = seen(job, tx);
      const { wanted } = job;
      const isOutstanding = row !== null && !isSettled(row.status);
      return (
        isOutstanding &&
        wanted.key === key &&
        kinds.includes(wanted.kind) &&
        job.place < before &&
        !tx.held.has(job)
      );
    });
    return first?.name ?? null;
  }

  #startRun(by: Actor): Result {
    const tx = this.#open(by);
    tx.run = this.#newRun();
    const worker = this.#worker(by);
    const counted = new Map<ModelJob, number>();
    const told: Record<string, object> = {};
    for (const job of tx.held.keys()) {
      for (const run of job.runs) run.outcome ??= 'reclaim';
      const earlierRuns = job.runs.length;
      const crashes = job.runs.filter(({ outcome }) => outcome === 'reclaim').length;
      counted.set(job, crashes);
      job.runs.push({ run: tx.run ?? '', worker, outcome: null, progress: null });
      told[job.name] = { earlierRuns, crashes };
    }
    tx.counted = counted;
    return told;
  }

  #noteRun(run: string): Result {
    for (const record of this.#records(run)) if (record.outcome === null) record.progress = 'half';
    return undefined;
  }

  #release(by: Actor): Result {
    for (const record of this.#records(this.#open(by).run)) record.outcome = 'release';
    return this.#end(by, 'rollback');
  }

  #records(run: string | null): readonly ModelRun[] {
    return this.#jobs.flatMap(({ runs }) => runs).filter((record) => record.run === run);
  }

  #settle({ by, events, again }: Extract<Command, { do: 'settle' }>): Result {
    const tx = this.#open(by);
    const run = tx.run ?? this.#newRun();
    tx.run = run;
    tx.hasSettled = true;
    const written = [...tx.held].flatMap(([job, taken], place) => {
      const event = events[place % events.length] ?? 'complete';
      const row = seen(job, tx);
      const isOwn = job.holder === tx && !tx.settled.has(job);
      if (row === null || row.status !== tx.from || !isOwn) return [];
      tx.settled.add(job);
      tx.rows.set(
        job,
        settled(row, {
          run,
          event,
          again,
          attempt: taken.attempt + 1,
          crashes: tx.counted.get(job) ?? taken.crashes,
        }),
      );
      const record = job.runs.find((each) => each.run === run);
      tx.endings.push(() => {
        if (record !== undefined) record.outcome = event;
      });
      return [job.name];
    });
    return written.sort();
  }

  #lease({ by, most, isOver }: Extract<Command, { do: 'lease' }>): Result {
    const tx = this.#open(by);
    const run = tx.run ?? this.#newRun();
    const jobs = new Map([...tx.held].slice(0, most));
    for (const job of jobs.keys()) {
      const row = seen(job, tx);
      if (row?.status === 'new')
        tx.rows.set(job, { ...row, status: 'in-progress', run, isLeaseOver: isOver });
    }
    this.#leases.push({ run, jobs, counted: tx.counted });
    return this.#end(by, 'commit');
  }

  #lockLeased({ by, lease }: Extract<Command, { do: 'lockLeased' }>): Result {
    const tx = this.#open(by);
    const found = this.#leases[lease];
    if (found === undefined) return undefined;
    const { run, jobs, counted } = found;
    tx.from = 'in-progress';
    tx.run = run;
    tx.counted = counted;
    const states: Record<string, State> = {};
    for (const [job, taken] of jobs) {
      tx.held.set(job, taken);
      if (job.row?.run !== run) continue;
      job.holder = tx;
      states[job.name] = job.row.status;
    }
    return states;
  }

  #reclaim(dead: 'nobody' | 'everybody'): Result {
    const leased = this.#all().flatMap((job) => {
      const record = job.runs.find(({ run }) => run === job.row.run);
      return job.row.status === 'in-progress' && record !== undefined ? [{ job, worker: record.worker }] : [];
    });
    const lapsed = new Set(leased.filter(({ worker }) => !worker.alive).map(({ worker }) => worker.name));
    const free = leased.filter(({ job, worker }) => {
      const mayGo = job.row.isLeaseOver || (!worker.alive && dead === 'everybody');
      return mayGo && job.holder === null;
    });
    for (const { job } of free) job.row = { ...job.row, status: 'new', run: null };
    return { reclaimed: free.length, lapsed: [...lapsed].sort() };
  }

  #survey(kinds: readonly string[]): Result {
    const jobs = this.#all();
    const outstanding = jobs.filter(({ row }) => row.status === 'new');
    const isOf = ({ wanted }: ModelJob): boolean => kinds.includes(wanted.kind);
    const waiting = outstanding.some((job) => job.row.isDue && job.row.isAvailable && isOf(job));
    const promoted = outstanding.filter(
      ({ row, holder }) => row.isAvailable && !row.isDue && holder === null,
    );
    for (const job of promoted) job.row = { ...job.row, isDue: true };
    return {
      promoted: promoted.length,
      next: outstanding.some(({ row }) => !row.isAvailable) ? 'tomorrow' : null,
      // Those just promoted need not count.
      waiting: waiting || promoted.some(isOf) ? (waiting ? true : EITHER) : false,
      leased: jobs.some(({ row }) => row.status === 'in-progress'),
    };
  }

  #move(event: ClientEvent, place: number): Result {
    const job = this.#jobs[place];
    if (job === undefined || job.row === null) return 'missing';
    const { status } = job.row;
    const isFreeNow = job.holder === null;
    if (isFreeNow && isLegal(event, status)) {
      const { kind, unique } = job.wanted;
      const rival = this.#jobs.some((other) => other !== job && hasKey(other, other.row, kind, unique?.key));
      if (event === 'redrive' && rival) return { refused: 'UniqueViolation' };
      const again = { attempt: 0, error: null, isAvailable: true, isDue: true } as const;
      job.row = { ...job.row, ...(event === 'redrive' && again), status: TRANSITIONS[event].to };
      return 'moved';
    }
    const isHeld = status === 'in-progress' || (!isFreeNow && isLegal(event, status));
    return isHeld && event === 'cancel' ? 'running' : `illegal: it is ${status}`;
  }

  #list(filter: Filter, limit: number): Result {
    const found = this.#all().filter(matches(filter)).reverse();
    const page = found.slice(0, limit);
    return {
      jobs: page.map(({ name, wanted, row, runs }) => {
        const last = runs.at(-1);
        const isHeld =
          last !== undefined && last.outcome === null && last.worker.alive && !isSettled(row.status);
        return {
          ...asWanted(name, wanted),
          status: isHeld ? 'in-progress' : row.status,
          attempt: row.attempt,
          crashes: row.crashes,
          run: isHeld ? last.run : row.run,
          worker: isHeld ? last.worker.name : null,
          progress: last?.progress ?? null,
          unique: wanted.unique?.key ?? null,
          output: row.output,
          error: row.error,
          isFinished: isSettled(row.status),
        };
      }),
      next: found.length > limit ? (page.at(-1)?.name ?? null) : null,
    };
  }

  #count(filter: Filter): Result {
    const counts: Record<State, number> = { new: 0, 'in-progress': 0, complete: 0, error: 0, cancelled: 0 };
    for (const { row } of this.#all().filter(matches(filter))) counts[row.status] += 1;
    return counts;
  }

  #dawn(place: number): Result {
    const job = this.#committed(place);
    if (job?.row) job.row = { ...job.row, isAvailable: true };
    return undefined;
  }

  #crash(by: Actor, how: 'killed' | 'cut off'): Result {
    const hadClaim = this.#transactions.has(by);
    this.#end(by, 'rollback');
    // Whoever is only cut off comes back under the same name.
    if (how === 'killed') this.#stop(by);
    return hadClaim ? { refused: 'ConnectionLost' } : undefined;
  }

  #stop(by: Actor): Result {
    const worker = this.#sessions.get(by);
    if (worker !== undefined) worker.alive = false;
    this.#sessions.delete(by);
    return undefined;
  }

  #end(by: Actor | Caller, how: 'commit' | 'rollback'): Result {
    const tx = this.#transactions.get(by);
    if (tx === undefined) return undefined;
    this.#transactions.delete(by);
    if (how === 'commit') {
      for (const [job, row] of tx.rows) job.row = row;
      for (const end of tx.endings) end();
      this.#effects.push(...tx.effects);
    }
    for (const job of this.#jobs) if (job.holder === tx) job.holder = null;
    return undefined;
  }

  #take(job: ModelJob, tx: Transaction): Result {
    const row = seen(job, tx);
    job.holder = tx;
    if (row === null) return undefined;
    tx.held.set(job, row);
    tx.settled.delete(job);
    const { status, attempt, crashes } = row;
    return { ...asWanted(job.name, job.wanted), status, attempt, crashes };
  }

  #open(by: Actor | Caller): Transaction {
    const tx = this.#transactions.get(by) ?? new Transaction();
    this.#transactions.set(by, tx);
    return tx;
  }

  #worker(by: Actor): Worker {
    const open = this.#sessions.get(by);
    if (open !== undefined) return open;
    const worker: Worker = { name: `worker ${this.#workers.length}`, alive: true };
    this.#workers.push(worker);
    this.#sessions.set(by, worker);
    return worker;
  }

  #newRun(): string {
    return `run ${this.#runs++}`;
  }

  #committed(place: number): ModelJob | undefined {
    const job = this.#jobs[place];
    return job?.row === null ? undefined : job;
  }

  #all(): readonly (ModelJob & { row: Row })[] {
    return this.#jobs.filter((job): job is ModelJob & { row: Row } => job.row !== null);
  }

  /** Whether somebody else has written a row that has this unique key, or had it, and has not committed that. */
  #isDisputed(kind: string, key: string | undefined, by: Actor | Caller): boolean {
    return [...this.#transactions].some(
      ([who, tx]) =>
        !(who === by && isCaller(who)) &&
        [...tx.rows].some(([job, row]) => hasKey(job, row, kind, key) || hasKey(job, job.row, kind, key)),
    );
  }
}

/** Equal to whatever a driver answers: the contract leaves it open. */
export const EITHER = 'either';

function doneBy<C extends Extract<Command, { readonly by: unknown }>>(command: C, by: C['by']): C {
  return { ...command, by };
}

function isCaller(who: Actor | Caller): who is Caller {
  return CALLERS.some((caller) => caller === who);
}

function seen(job: ModelJob, tx: Transaction | undefined): Row | null {
  return tx?.rows.get(job) ?? job.row;
}

function isFree({ holder }: ModelJob, tx: Transaction): boolean {
  return holder === null || holder === tx;
}

/** The first of the jobs that it has which has a key. */
function firstKeyed(tx: Transaction): ModelJob | undefined {
  return [...tx.held.keys()].find(({ wanted }) => wanted.key !== null);
}

function inOrder(one: ModelJob, other: ModelJob): number {
  return one.wanted.priority - other.wanted.priority || one.place - other.place;
}

function hasKey({ wanted }: ModelJob, row: Row | null, kind: string, key: string | undefined): boolean {
  const { unique } = wanted;
  if (row === null || unique === null || unique.key !== key || wanted.kind !== kind) return false;
  return unique.scope === 'ever' || !isSettled(row.status);
}

function settled(
  row: Row,
  by: {
    readonly run: string;
    readonly event: SettlingEvent;
    readonly again: 'now' | 'tomorrow';
    readonly attempt: number;
    readonly crashes: number;
  },
): Row {
  const { run, event, again, attempt, crashes } = by;
  const { to: status }: { to: State } = TRANSITIONS[event];
  return {
    ...row,
    status,
    run,
    attempt,
    crashes,
    ...(status === 'new' && { isAvailable: again === 'now', isDue: again === 'now' }),
    output: event === 'complete' ? run : null,
    error: status === 'error' ? 'E_MODEL' : null,
  };
}

/** The parts of a job that never change. */
function asWanted(name: string, { queue, kind, key, priority }: Wanted): object {
  return { job: name, queue, kind, key, priority };
}

function matches({ queue, kind, key, status }: Filter): (job: ModelJob & { row: Row }) => boolean {
  return ({ wanted, row }) =>
    wanted.queue === queue &&
    (kind === undefined || wanted.kind === kind) &&
    (key === undefined || wanted.key === key) &&
    (status === undefined || row.status === status);
}
