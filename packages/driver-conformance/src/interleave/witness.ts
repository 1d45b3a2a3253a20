import type { JobRow } from '../driver-harness.js';
import { Admissions } from './admissions.js';
import { isOutstanding } from './outstanding.js';

/** How much the clocks of the test and of the server may differ, in milliseconds. */
const CLOCKS_MS = 3_600_000;

/** What a handler was given. */
export interface WitnessedRun {
  readonly actor: string;
  readonly runId: string;
  readonly queue: string;
  readonly key: string | null;
  readonly jobs: readonly string[];
  readonly leased: boolean;
}

interface Running extends WitnessedRun {
  settling: boolean;
}

/** Sees what happens in one order of steps, and says what must not be. */
export class Witness {
  readonly violations: string[] = [];
  readonly admissions: Admissions;
  readonly #names = new Map<string, string>();
  readonly #outstanding = new Map<string, readonly JobRow[]>();
  readonly #running = new Map<string, Running>();
  readonly #runs = new Map<string, WitnessedRun>();
  readonly #lost = new Set<string>();
  readonly #released = new Set<string>();
  readonly #disconnected = new Set<string>();
  readonly #declaredDead = new Set<string>();
  readonly #redriven = new Map<string, number>();
  readonly #updated = new Map<string, number>();

  /** @param size That of the limit, if there is one. */
  constructor(size = 0) {
    this.admissions = new Admissions(size, (violation) => this.say(violation));
  }

  /** Gives a job a name that people can read. */
  name(publicId: string, name: string): void {
    this.#names.set(publicId, name);
  }

  say(violation: string): void {
    if (!this.violations.includes(violation)) this.violations.push(violation);
  }

  /** What the actor is about to see: the jobs that are committed now. */
  looks(actor: string, at: 'siblings' | 'dependencies', rows: readonly JobRow[]): void {
    const now = Date.now();
    // What is put off is for longer than two clocks can differ.
    const due = rows.filter((row) => isOutstanding(row) && row.availableAt.getTime() < now + CLOCKS_MS);
    this.#outstanding.set(`${actor} ${at}`, at === 'siblings' ? due : rows.filter(isOutstanding));
  }

  begins(run: WitnessedRun, lost: boolean): void {
    const { actor, runId, queue, key, jobs } = run;
    this.#runs.set(runId, run);
    // A worker that has lost its claim and does not know it may still call its handler, which can write nothing.
    if (lost) {
      this.#lost.add(runId);
      return;
    }
    for (const other of this.#running.values()) {
      if (key !== null && other.queue === queue && other.key === key) {
        this.say(`${this.nameOf(run)} began while ${this.nameOf(other)} went on`);
      }
    }
    if (!run.leased || !this.#declaredDead.has(actor)) this.#running.set(actor, { ...run, settling: false });
    if (key === null) return;
    const outstanding = this.#outstanding.get(`${actor} siblings`) ?? [];
    const seen = outstanding.filter((row) => row.queue === queue && row.key === key);
    const own = seen.filter(({ publicId }) => jobs.includes(publicId));
    if (own.length < jobs.length) this.say(`${this.nameOf(run)} has a job that was not there to be locked`);
    const last = own.at(-1);
    for (const row of seen) {
      if (last !== undefined && row.id < last.id && !own.includes(row)) {
        this.say(`${this.nameOf(run)} began before ${this.called(row.publicId)}, which was enqueued earlier`);
      }
    }
  }

  /** Jobs of the run, each of which must come after the earlier ones of these kinds. */
  mustFollow(run: WitnessedRun, kinds: readonly string[]): void {
    const rows = this.#outstanding.get(`${run.actor} dependencies`) ?? [];
    const own = rows.filter(({ publicId }) => run.jobs.includes(publicId));
    for (const row of rows) {
      if (!kinds.includes(row.kind) || row.key !== run.key || own.includes(row)) continue;
      if (own.some(({ id }) => row.id < id))
        this.say(`${this.nameOf(run)} began before ${this.called(row.publicId)}, which it must come after`);
    }
  }

  settling(actor: string): void {
    const running = this.#running.get(actor);
    if (running !== undefined) running.settling = true;
  }

  /** The actor's transaction has been committed: with it its run has ended. */
  commits(actor: string): void {
    this.#running.delete(actor);
  }

  /** The actor's transaction was rolled back. A lease is not given up with it. */
  rollsBack(actor: string): void {
    if (this.#running.get(actor)?.leased === false) this.#running.delete(actor);
  }

  /** The server has ended the actor's connections, and so the transaction of its claim. */
  disconnects(actor: string): void {
    this.admissions.disconnects(actor);
    this.#disconnected.add(actor);
    const run = this.#running.get(actor);
    if (run?.leased === false) this.#lose(run);
  }

  /** The actor counts as dead from now on: its leases may be taken, and then it must not settle. */
  declaresDead(actor: string): void {
    this.#disconnected.add(actor);
    this.#declaredDead.add(actor);
    if (this.#running.get(actor)?.leased) this.#running.delete(actor);
  }

  loses(actor: string, runId: string, error: unknown): void {
    this.#lost.add(runId);
    if (this.#running.get(actor)?.runId === runId) this.#running.delete(actor);
    if (!this.#disconnected.has(actor)) this.say(`${actor} lost a claim without cause: ${withoutIds(error)}`);
  }

  #lose({ actor, runId }: WitnessedRun): void {
    this.#lost.add(runId);
    this.#running.delete(actor);
  }

  releases(runId: string): void {
    this.#released.add(runId);
  }

  settled(runId: string): void {
    const run = this.#runs.get(runId);
    if (this.#lost.has(runId)) this.say(`${run ? this.nameOf(run) : runId} settled, and had lost its claim`);
  }

  fails(actor: string, error: unknown): void {
    if (!this.#disconnected.has(actor)) this.say(`${actor} failed: ${withoutIds(error)}`);
  }

  waits(actor: string, step: string, holder: string): void {
    const run = this.#running.get(holder);
    // Whoever has lost its lease may meet the next run's settlement.
    if (run === undefined || run.settling || step === 'lockLeased') return;
    this.say(`${actor}'s ${step} waits for the running handler of ${this.nameOf(run)}`);
  }

  /** A client has given the job another life. */
  redrives(publicId: string): void {
    this.#redriven.set(publicId, (this.#redriven.get(publicId) ?? 0) + 1);
  }

  /** A client has added to the job's metadata. */
  updates(publicId: string): void {
    this.#updated.set(publicId, this.updatesOf(publicId) + 1);
  }

  /** How often a client has added to the job's metadata. */
  updatesOf(publicId: string): number {
    return this.#updated.get(publicId) ?? 0;
  }

  /** What began, in this order. */
  get runs(): readonly WitnessedRun[] {
    return [...this.#runs.values()];
  }

  hasLost(runId: string): boolean {
    return this.#lost.has(runId);
  }

  hasReleased(runId: string): boolean {
    return this.#released.has(runId);
  }

  /** How often a client has given the job another life. */
  redrivesOf(publicId: string): number {
    return this.#redriven.get(publicId) ?? 0;
  }

  /** The run, as people can read it. */
  nameOf({ actor, jobs }: WitnessedRun): string {
    return `${actor}'s run of ${jobs.map((job) => this.called(job)).join(' and ')}`;
  }

  /** The name that the job was given. */
  called(publicId: string): string {
    return this.#names.get(publicId) ?? publicId;
  }
}

/** Without what is another in each run. */
function withoutIds(error: unknown): string {
  return String(error).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…');
}
