import { type Refused, refusalOfMany } from '../driver/apart.js';
import type { AppliedCapture, CaptureCheck, CaptureStore, RowId } from '../driver/capture-store.js';
import type { Driver } from '../driver/driver.js';
import { type Duration, milliseconds } from '../duration.js';
import { InvalidInputError } from '../errors.js';
import { checkName, checkPriority, checkWhole } from '../input.js';
import { checkOptions } from '../known-options.js';
import type { Capture } from './capture.js';
import type { DeclaredCaptures } from './declared.js';

export interface CaptureLockOptions {
  /** How long to wait for the lock of each table. Writers of the table wait behind it. Default 5 s. */
  readonly lockTimeout?: Duration;
}

export interface CaptureBackfillOptions {
  /** How many rows one step reads, 1 to 10,000. Default 500. */
  readonly batch?: number;
  /** Of the jobs. Default: 100 more than the capture's, so that live changes run sooner. */
  readonly priority?: number;
  /** Ends the backfill after the step that is on its way. The next call resumes it. */
  readonly signal?: AbortSignal;
  /** Called after each step, and awaited. `rows`: how many were read since the backfill began. */
  readonly onProgress?: (progress: { readonly rows: number }) => void;
}

/** What `apply` did with one capture. */
export interface CaptureReport extends AppliedCapture {
  readonly name: string;
}

const BACKFILL_OPTIONS: readonly string[] = [
  'batch',
  'priority',
  'signal',
  'onProgress',
] satisfies (keyof CaptureBackfillOptions)[];

function lockMsOf(what: string, options: CaptureLockOptions): number {
  checkOptions(what, options, ['lockTimeout']);
  return milliseconds(options.lockTimeout ?? '5s', 'lockTimeout');
}

/** The captures of this program, in the database. */
export class Captures {
  readonly #calls: { readonly driver: Pick<Driver, 'name' | 'captures'> };
  readonly #declared: DeclaredCaptures;

  constructor(calls: { readonly driver: Pick<Driver, 'name' | 'captures'> }, declared: DeclaredCaptures) {
    this.#calls = calls;
    this.#declared = declared;
  }

  /**
   * Makes the triggers of all captures as they should be, one capture after the other, each in a transaction where the
   * database has such. Does nothing, and takes no lock on a table, where they are so already. Safe to call from many processes at
   * once.
   *
   * @throws InvalidInputError when a table is not there, or cannot be captured; DriverError `PermissionDenied`,
   * `LockTimeout`.
   */
  async apply(options: CaptureLockOptions = {}): Promise<readonly CaptureReport[]> {
    const lockMs = lockMsOf('captures.apply()', options);
    const store = this.#store();
    const reports: CaptureReport[] = [];
    for (const { name, plan } of this.#declared.all)
      reports.push({ name, ...(await store.apply(plan, lockMs)) });
    return reports;
  }

  /**
   * The SQL of all captures as one script, for a DBA to read and to run. Reads the tables.
   *
   * @throws InvalidInputError when a table is not there, or cannot be captured.
   */
  async sql(): Promise<string> {
    return this.#store().sql(this.#declared.all.map(({ plan }) => plan));
  }

  /** Compares the triggers in the database with what the captures need. Changes nothing. */
  async check(): Promise<readonly CaptureCheck[]> {
    if (this.#declared.all.length === 0) return [];
    const store = this.#store();
    return Promise.all(
      this.#declared.all.map(async ({ name, plan }) => ({ name, ...(await store.check(plan)) })),
    );
  }

  /**
   * Drops triggers. Jobs that were written stay.
   *
   * @param names Of captures, also of such that no program defines any more. Default: those of this program.
   * @returns the names of those that had triggers
   */
  async drop(
    names: readonly string[] = this.#declared.all.map(({ name }) => name),
    options: CaptureLockOptions = {},
  ): Promise<readonly string[]> {
    const lockMs = lockMsOf('captures.drop()', options);
    if (!Array.isArray(names)) throw new InvalidInputError('captures.drop() takes a list of names.');
    for (const name of names) checkName('The name of a capture', name);
    const store = this.#store();
    const dropped: string[] = [];
    for (const name of names) if (await store.drop(name, lockMs)) dropped.push(name);
    return dropped;
  }

  /**
   * Enqueues a job for each row that is in the table already, in steps. Each step is a transaction. A call that was
   * ended, or whose process died, is resumed by the next call. Several at once share the work. After its end, a call begins
   * anew. Changes during the backfill are captured as always, so a row may have a job of both. A row whose job the database
   * refuses holds up no other one: `check` reports it as lost.
   *
   * @param capture It, or its name.
   * @returns how many rows were read since the backfill began
   * @throws InvalidInputError when its triggers are not as they should be; DriverError, also when all is done but for rows
   * whose jobs are refused; the `signal`'s reason.
   */
  async backfill(
    capture: string | Pick<Capture, 'name'>,
    options: CaptureBackfillOptions = {},
  ): Promise<{ readonly rows: number }> {
    checkOptions('captures.backfill()', options, BACKFILL_OPTIONS);
    const { batch = 500, priority, signal, onProgress } = options;
    checkWhole('batch', batch, 1, 10_000);
    const { name, plan } = this.#declared.find(typeof capture === 'string' ? capture : Object(capture).name);
    const after = priority ?? Math.min(32_767, plan.job.priority + 100);
    checkPriority(after);
    const store = this.#store();
    await refuseUnapplied(store, name, plan);
    let count = 0;
    let example: Refused<RowId> | undefined;
    for (let first = true; ; first = false) {
      signal?.throwIfAborted();
      const { rows, done, refused } = await store.backfill(plan, { batch, priority: after, first });
      count += refused.length;
      example ??= refused[0];
      await onProgress?.({ rows });
      if (!done) continue;
      if (example === undefined) return { rows };
      throw refusalOfMany(count, `the one of the row ${JSON.stringify(example.member)}`, example.error);
    }
  }

  /** @throws InvalidInputError when the database has no tables. */
  #store(): CaptureStore {
    const { name, captures } = this.#calls.driver;
    if (captures !== undefined) return captures;
    throw new InvalidInputError(`The driver ${JSON.stringify(name)} has no tables to capture.`);
  }
}

/** A row that changes before its triggers are there would be lost. */
async function refuseUnapplied(store: CaptureStore, name: string, plan: Capture['plan']): Promise<void> {
  const { problems } = await store.check(plan);
  const problem = problems.find(({ code }) => code !== 'lost');
  if (problem === undefined) return;
  throw new InvalidInputError(
    `The capture ${JSON.stringify(name)} cannot be filled before captures.apply(): ${problem.message}`,
  );
}
