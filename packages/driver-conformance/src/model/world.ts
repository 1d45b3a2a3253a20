import { randomUUID } from 'node:crypto';
import {
  type Anchor,
  type Driver,
  type HeldTransaction,
  isDriverError,
  type Job,
  type JobId,
  type Json,
  type Settlement,
} from '@rowlock/core';
import type { Caller as CallerTransaction, DriverProcess, TestDatabase } from '../driver-harness.js';
import { endSessions } from '../end-sessions.js';
import { endProcess, START } from '../stage.js';
import { aborted, until, within } from '../until.js';
import {
  ACTORS,
  type Actor,
  CALLERS,
  type Caller,
  type Command,
  type Filter,
  QUEUES,
  type Wanted,
} from './command.js';
import { EITHER, type Result } from './model.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LONG_AGO = new Date('2001-01-01T00:00:00Z');

/** So long that no sequence meets it. */
const IDLE_LIMIT_MS = 600_000;

/** A net for a command that waits for somebody, in milliseconds. */
const COMMAND_MS = 20_000;

export const EFFECTS = 'model_effect';

/** A claim that is open, and what its owner knows of it. */
interface Claim<Tx> {
  readonly held: HeldTransaction<Tx>;
  readonly jobs: Map<JobId, Job>;
  run: string | null;
  crashes: ReadonlyMap<JobId, number>;
}

interface Lease {
  readonly run: string;
  readonly jobs: ReadonlyMap<JobId, Job>;
  readonly crashes: ReadonlyMap<JobId, number>;
}

/** A worker's session, and what ends its listening to wake-ups: some drivers look after the session while somebody listens. */
interface Session {
  readonly anchor: Anchor;
  readonly listening: AbortController;
}

/** Keeps the processes of one database from one sequence to the next. */
export interface Cast<Tx> {
  readonly database: TestDatabase<Tx>;
  readonly processes: Map<Actor, DriverProcess<Tx>>;
  /** What is put in the driver's place. */
  broken(driver: Driver<Tx>): Driver<Tx>;
}

/** Does one sequence of commands with a real driver. What it answers has the names that the model has for it. */
export class World<Tx> {
  readonly #cast: Cast<Tx>;
  /** Before the names of queues and keys, so that each sequence has its own. */
  readonly #prefix = `${randomUUID().slice(0, 13)}-`;
  readonly #jobs: string[] = [];
  readonly #ids = new Map<JobId, string>();
  readonly #runs: string[] = [];
  readonly #workers: string[] = [];
  readonly #leases: Lease[] = [];
  readonly #claims = new Map<Actor, Claim<Tx>>();
  readonly #callers = new Map<Caller, CallerTransaction<Tx>>();
  readonly #sessions = new Map<Actor, Session>();
  /** Is told when the session of the worker is open again. */
  readonly #onBack = new Map<Actor, () => void>();

  constructor(cast: Cast<Tx>) {
    this.#cast = cast;
  }

  /** What came of it; a refusal by its code. */
  async perform(command: Command): Promise<Result> {
    try {
      return await within(`the end of ${JSON.stringify(command)}`, this.#do(command), COMMAND_MS);
    } catch (error) {
      if (!isDriverError(error)) throw error;
      if (command.do === 'lockSiblings') await this.#end(command.by, 'rollback');
      return { refused: error.code };
    }
  }

  /** Gives up what is open. */
  async end(): Promise<void> {
    const open = [...this.#claims.values()].map(({ held }) => held.rollback());
    await Promise.all([...open, ...[...this.#callers.values()].map((caller) => caller.rollback())]);
    this.#claims.clear();
    this.#callers.clear();
  }

  /** Leaves nothing behind. */
  async close(): Promise<void> {
    await this.end();
    await Promise.all([...this.#sessions.values()].map(stop));
  }

  async #do(command: Command): Promise<Result> {
    switch (command.do) {
      case 'enqueue':
        return this.#enqueue(command);
      case 'end': {
        const caller = this.#callers.get(command.by);
        this.#callers.delete(command.by);
        return caller?.[command.how]();
      }
      case 'claim': {
        const { queue, kinds, beyond, busy } = command;
        const claim = await this.#begin(command.by);
        const row = beyond === null ? undefined : await this.#row(beyond);
        const job = await claim.held.claim({
          queue: this.#own(queue),
          kinds,
          line: row === undefined ? START : { priority: row.priority, id: row.id },
          busy: busy.map((key) => this.#own(key)),
        });
        return job === undefined ? null : this.#take(claim, job);
      }
      case 'lockSiblings': {
        const claim = this.#claim(command.by);
        const first = [...claim.jobs.values()].find(({ key }) => key !== null);
        const entity =
          command.queue === null && first?.key
            ? { queue: first.queue, key: first.key }
            : { queue: this.#own(command.queue ?? ''), key: this.#own(command.key) };
        const jobs = await claim.held.lockSiblings(entity, command.limit);
        return jobs.map((job) => this.#take(claim, job));
      }
      case 'firstOutstanding': {
        const { held, jobs } = this.#claim(command.by);
        const id = await held.firstOutstanding({
          key: this.#own(command.key),
          kinds: command.kinds,
          before: (await this.#row(command.before)).id,
          except: [...jobs.keys()],
        });
        return id === undefined ? null : await this.#named(id);
      }
      case 'startRun':
        return this.#startRun(command.by);
      case 'noteRun': {
        const driver = await this.#driver(command.by);
        return driver.noteRun(this.#runs[command.run] ?? '', { progress: 'half' });
      }
      case 'write': {
        const { held, jobs } = this.#claim(command.by);
        const names = [...jobs.values()].map((job) => this.#name(job.publicId));
        const sql = `INSERT INTO ${EFFECTS} VALUES ('${this.#own(names.join(', '))}')`;
        await this.#cast.database.run(held.handle, sql);
        return undefined;
      }
      case 'undo':
        return this.#claim(command.by).held.undo();
      case 'settle':
        return this.#settle(command);
      case 'release': {
        const claim = this.#claim(command.by);
        this.#claims.delete(command.by);
        return claim.held.release(this.#runOf(claim));
      }
      case 'commit':
      case 'rollback':
        return this.#end(command.by, command.do);
      case 'lease': {
        const claim = this.#claim(command.by);
        const jobs = new Map([...claim.jobs].slice(0, command.most));
        const run = this.#runOf(claim);
        this.#leases.push({ run, jobs, crashes: claim.crashes });
        this.#claims.delete(command.by);
        return claim.held.lease(run, [...jobs.keys()], command.isOver ? -DAY_MS : DAY_MS);
      }
      case 'lockLeased': {
        const { run, jobs, crashes } = this.#leases[command.lease] ?? {
          run: '',
          jobs: new Map(),
          crashes: new Map(),
        };
        const claim = await this.#begin(command.by);
        claim.run = run;
        claim.crashes = crashes;
        const states = await claim.held.lockLeased(run, [...jobs.keys()]);
        for (const [id, job] of jobs) claim.jobs.set(id, job);
        return Object.fromEntries(
          await Promise.all([...states].map(async ([id, state]) => [await this.#named(id), state])),
        );
      }
      case 'reclaim': {
        const driver = await this.#driver(command.by);
        const dead = command.dead === 'nobody' ? [] : this.#workers;
        const { reclaimed, lapsed } = await driver.reclaim({ queues: this.#queues(), dead });
        return { reclaimed, lapsed: lapsed.map((id) => this.#worker(id)).sort() };
      }
      case 'survey': {
        const driver = await this.#driver(command.by);
        const survey = await driver.survey({ queues: this.#queues(), kinds: command.kinds });
        const { promoted, nextDueMs, waiting, leased } = survey;
        return { promoted, next: nextDueMs === null ? null : later(nextDueMs), waiting, leased };
      }
      case 'move': {
        const driver = await this.#driver(command.by);
        const moved = await driver.move(command.event, this.#jobs[command.job] ?? '');
        return moved.outcome === 'illegal' ? `illegal: it is ${moved.status}` : moved.outcome;
      }
      case 'list': {
        const driver = await this.#driver(command.by);
        const { jobs, next } = await driver.list(this.#filter(command.filter), {
          limit: command.limit,
          before: null,
        });
        return {
          jobs: jobs.map((view) => ({
            ...this.#wanted(view),
            status: view.status,
            attempt: view.attempt,
            crashes: view.crashes,
            run: this.#run(view.processId),
            worker: view.worker,
            progress: view.progress,
            unique: this.#short(view.uniqueKey),
            output: this.#run(view.output),
            error: view.error?.code ?? null,
            isFinished: view.finishedAt !== null,
          })),
          next: next === null ? null : await this.#named(next),
        };
      }
      case 'count':
        return (await this.#driver(command.by)).count(this.#filter(command.filter));
      case 'workers': {
        const workers = await (await this.#driver(command.by)).workers();
        const own = workers.filter(({ id }) => this.#workers.includes(id)).reverse();
        return own.map(({ name, alive }) => ({ name, alive }));
      }
      case 'dawn':
        return this.#cast.database.reader.write(this.#jobs[command.job] ?? '', { availableAt: LONG_AGO });
      case 'look':
        return this.#look();
      case 'crash':
        return this.#crash(command);
      case 'stop': {
        const session = this.#sessions.get(command.by);
        this.#sessions.delete(command.by);
        return session && stop(session);
      }
    }
  }

  #end(by: Actor, how: 'commit' | 'rollback'): Promise<void> {
    const { held } = this.#claim(by);
    this.#claims.delete(by);
    return held[how]();
  }

  async #enqueue({ by, jobs }: Extract<Command, { do: 'enqueue' }>): Promise<Result> {
    const driver = await this.#driver(isCaller(by) ? ACTORS[0] : by);
    const store = isCaller(by) ? driver.join((await this.#caller(by)).tx) : driver;
    const outcomes = await store.enqueue(jobs.map((wanted) => this.#newJob(wanted)));
    return outcomes.map(({ outcome, publicId }) => {
      if (outcome === 'enqueued') this.#jobs.push(publicId);
      return outcome === 'enqueued'
        ? `enqueued ${this.#name(publicId)}`
        : `duplicate of ${this.#name(publicId)}`;
    });
  }

  #newJob({ queue, kind, key, priority, available, unique }: Wanted) {
    return {
      queue: this.#own(queue),
      kind,
      key: key === null ? null : this.#own(key),
      payload: { wanted: available },
      priority,
      available:
        available === 'long ago' ? { at: LONG_AGO } : { inMs: available === 'tomorrow' ? DAY_MS : 0 },
      maxAttempts: 5,
      unique: unique && { key: this.#own(unique.key), scope: unique.scope },
      metadata: {},
      createdBy: 'model',
    } as const;
  }

  async #startRun(by: Actor): Promise<Result> {
    const claim = this.#claim(by);
    const driver = await this.#driver(by);
    const processId = this.#runOf(claim);
    const { anchor } = this.#sessions.get(by) ?? (await this.#openSession(by, driver));
    const started = await driver.startRun({
      processId,
      workerId: anchor.workerId,
      jobs: [...claim.jobs.keys()],
    });
    claim.crashes = new Map(started.map(({ id, crashes }) => [id, crashes]));
    const told = started.map(async ({ id, earlierRuns, crashes }) => [
      await this.#named(id),
      { earlierRuns, crashes },
    ]);
    return Object.fromEntries(await Promise.all(told));
  }

  async #openSession(by: Actor, driver: Driver<Tx>): Promise<Session> {
    const info = { name: `worker ${this.#workers.length}`, host: by, pid: 1, queues: this.#queues() };
    const back = (): void => this.#onBack.get(by)?.();
    const anchor = await driver.anchor(info, { lost: () => {}, back });
    const session = { anchor, listening: new AbortController() };
    this.#workers.push(anchor.workerId);
    this.#sessions.set(by, session);
    void listen(session, this.#queues());
    return session;
  }

  async #settle({ by, events, again, stranger }: Extract<Command, { do: 'settle' }>): Promise<Result> {
    const claim = this.#claim(by);
    const run = this.#runOf(claim);
    const settlements = [...claim.jobs.values()].map((job, place): Settlement => {
      const event = events[place % events.length] ?? 'complete';
      return {
        id: job.id,
        event,
        attempt: job.attempt + 1,
        crashes: claim.crashes.get(job.id) ?? job.crashes,
        delayMs: again === 'tomorrow' ? DAY_MS : 0,
        tookMs: 5,
        output: event === 'complete' ? run : null,
        error: event === 'fail' || event === 'exhaust' ? { code: 'E_MODEL', message: event } : null,
        by,
      };
    });
    const [first] = settlements;
    if (stranger !== null && first !== undefined) {
      const { id } = await this.#row(stranger);
      if (!claim.jobs.has(id)) settlements.push({ ...first, id });
    }
    const written = await claim.held.settle(run, settlements);
    return (await Promise.all(written.map((id) => this.#named(id)))).sort();
  }

  async #look(): Promise<Result> {
    const { reader } = this.#cast.database;
    const rows = (await Promise.all(this.#queues().map((queue) => reader.jobs(queue)))).flat();
    const soon = (await reader.now()).getTime() + HOUR_MS;
    const jobs = rows
      .sort((one, other) => this.#place(one.publicId) - this.#place(other.publicId))
      .map(async (row) => ({
        ...this.#wanted(row),
        status: row.status,
        attempt: row.attempt,
        crashes: row.crashes,
        isAvailable: row.availableAt.getTime() < soon,
        isFinished: row.finishedAt !== null,
        run: this.#run(row.processId),
        unique: this.#short(row.uniqueKey),
        output: this.#run(row.output),
        error: row.error?.code ?? null,
        runs: (await reader.runs(row.publicId)).map(
          ({ processId, workerId, outcome, finishedAt, progress }) => ({
            run: this.#run(processId),
            worker: this.#worker(workerId),
            outcome,
            isFinished: finishedAt !== null,
            progress,
          }),
        ),
      }));
    const effects = (await reader.exec(`SELECT note FROM ${EFFECTS}`)).map(({ note }) => String(note));
    const own = effects.filter((note) => note.startsWith(this.#prefix)).map((note) => this.#short(note));
    return { jobs: await Promise.all(jobs), effects: own.sort() };
  }

  /** When this is over the server has noticed: its rows are free, and its worker is not alive, or is again. */
  async #crash({ by, how }: Extract<Command, { do: 'crash' }>): Promise<Result> {
    const process = await this.#process(by);
    const claim = this.#claims.get(by);
    this.#claims.delete(by);
    try {
      await (how === 'killed' ? this.#kill(process) : this.#cutOff(by, process));
      if (claim === undefined) return undefined;
      await aborted(claim.held.lost);
      return await claim.held.commit();
    } finally {
      await claim?.held.rollback();
      if (how === 'killed') await this.#bury(by, process);
    }
  }

  async #kill(process: DriverProcess<Tx>): Promise<void> {
    await process.kill();
    await until('the sessions have ended', async () => (await process.sessions()).length === 0);
  }

  /** What is left of it in this process. */
  async #bury(by: Actor, process: DriverProcess<Tx>): Promise<void> {
    const session = this.#sessions.get(by);
    this.#sessions.delete(by);
    this.#cast.processes.delete(by);
    if (session !== undefined) await stop(session);
    await endProcess(process);
  }

  async #cutOff(by: Actor, process: DriverProcess<Tx>): Promise<void> {
    const isBack = new Promise<void>((resolve) => this.#onBack.set(by, resolve));
    await endSessions(process);
    if (this.#sessions.has(by)) await isBack;
    // A pool learns of each of its connections by itself, a moment later.
    const asks = () => Array.from({ length: 4 }, () => process.driver.count({ queue: this.#own('') }));
    await until('it has connections again', () => Promise.all(asks()).then(Boolean, () => false));
  }

  async #process(by: Actor): Promise<DriverProcess<Tx>> {
    const { processes, database } = this.#cast;
    const process = processes.get(by) ?? (await database.process());
    processes.set(by, process);
    return process;
  }

  async #driver(by: Actor): Promise<Driver<Tx>> {
    return this.#cast.broken((await this.#process(by)).driver);
  }

  async #begin(by: Actor): Promise<Claim<Tx>> {
    const open = this.#claims.get(by);
    if (open !== undefined) return open;
    const driver = await this.#driver(by);
    const held = await driver.begin({ idleLimitMs: IDLE_LIMIT_MS });
    const claim: Claim<Tx> = { held, jobs: new Map(), run: null, crashes: new Map() };
    this.#claims.set(by, claim);
    return claim;
  }

  #claim(by: Actor): Claim<Tx> {
    const claim = this.#claims.get(by);
    if (claim === undefined) throw new Error(`${by} has no claim.`);
    return claim;
  }

  async #caller(by: Caller): Promise<CallerTransaction<Tx>> {
    const caller = this.#callers.get(by) ?? (await this.#cast.database.caller());
    this.#callers.set(by, caller);
    return caller;
  }

  #take(claim: Claim<Tx>, job: Job): Result {
    claim.jobs.set(job.id, job);
    this.#ids.set(job.id, this.#name(job.publicId));
    const { status, attempt, crashes } = job;
    return { ...this.#wanted(job), status, attempt, crashes };
  }

  #runOf(claim: Claim<Tx>): string {
    if (claim.run === null) {
      claim.run = randomUUID();
      this.#runs.push(claim.run);
    }
    return claim.run;
  }

  #wanted({
    publicId,
    queue,
    kind,
    key,
    priority,
  }: Pick<Job, 'publicId' | 'queue' | 'kind' | 'key' | 'priority'>): object {
    return { job: this.#name(publicId), queue: this.#short(queue), kind, key: this.#short(key), priority };
  }

  #name(publicId: string): string {
    return `job ${this.#place(publicId)}`;
  }

  #place(publicId: string): number {
    return this.#jobs.indexOf(publicId);
  }

  async #row(place: number): Promise<{ readonly id: JobId; readonly priority: number }> {
    const row = await this.#cast.database.reader.job(this.#jobs[place] ?? '');
    if (row === undefined) throw new Error(`There is no row of job ${place}.`);
    return row;
  }

  async #named(id: JobId): Promise<string> {
    if (!this.#ids.has(id)) {
      const { reader } = this.#cast.database;
      for (const queue of this.#queues())
        for (const row of await reader.jobs(queue)) this.#ids.set(row.id, this.#name(row.publicId));
    }
    return this.#ids.get(id) ?? `unknown job ${id}`;
  }

  #run(processId: Json): string | null {
    if (processId === null) return null;
    return `run ${this.#runs.indexOf(String(processId))}`;
  }

  #worker(id: string): string {
    return `worker ${this.#workers.indexOf(id)}`;
  }

  #queues(): readonly string[] {
    return QUEUES.map((queue) => this.#own(queue));
  }

  #filter({ queue, key, ...others }: Filter) {
    return { ...others, queue: this.#own(queue), ...(key !== undefined && { key: this.#own(key) }) };
  }

  #own(name: string): string {
    return this.#prefix + name;
  }

  #short(name: string | null): string | null {
    return name?.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : name;
  }
}

async function listen({ anchor, listening: { signal } }: Session, queues: readonly string[]): Promise<void> {
  for await (const _ of anchor.wakeUps({ queues, everyMs: HOUR_MS, signal })) if (signal.aborted) return;
}

function stop({ anchor, listening }: Session): Promise<void> {
  listening.abort();
  return anchor.release();
}

/** Whatever the contract leaves open is equal. */
export function leftOpen(expected: Result, got: Result): Result {
  const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
  if (!isObject(expected) || !isObject(got)) return got;
  const open = Object.entries(expected).filter(([, value]) => value === EITHER);
  return open.length === 0 ? got : { ...got, ...Object.fromEntries(open) };
}

function later(ms: number): string {
  return ms > HOUR_MS && ms <= DAY_MS ? 'tomorrow' : `in ${ms} ms`;
}

function isCaller(who: Actor | Caller): who is Caller {
  return CALLERS.some((caller) => caller === who);
}
