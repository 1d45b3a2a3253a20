import { inCleanContext } from '../clean-context.js';
import type { Anchor } from '../driver/anchor.js';
import type { Driver } from '../driver/driver.js';
import { isHint, type WakeUp } from '../driver/wake-up.js';
import { WorkerStoppedError } from '../errors.js';
import type { Registry } from '../handler/registry.js';
import { BatchSizes } from './flow/batch-sizes.js';
import type { Flow } from './flow/context.js';
import { sweep } from './flow/turn.js';
import type { Session } from './life/session.js';
import { DueQueues } from './look/due-queues.js';
import { Rounds } from './look/rounds.js';
import { ScanPosition } from './look/scan-position.js';
import { Slots } from './look/slots.js';
import { Surveyor } from './look/surveyor.js';
import type { MakeParts } from './part.js';
import { Parts } from './parts.js';
import { RunRecords } from './record/run-records.js';
import { RefusedJobs } from './refused-jobs.js';
import type { WorkerEmitter } from './report/events.js';
import { Faults } from './report/faults.js';
import { perSecond } from './report/per-second.js';
import { Unsettled } from './report/unsettled.js';
import type { CallParts } from './run/context.js';
import type { LiveRun } from './run/live-run.js';
import { Alarm } from './time/alarm.js';

/** What a worker is given by its program. */
export interface Program<Tx> extends CallParts<Tx> {
  readonly driver: Driver<Tx>;
  readonly registry: Registry<Tx>;
  readonly makeParts: MakeParts;
}

export interface RunningParts<Tx> extends Program<Tx> {
  /** The worker's name. */
  readonly worker: string;
  readonly host: string;
  readonly concurrency: number;
  readonly pollMs: number;
  readonly watchMs: number;
  readonly events: WorkerEmitter;
  readonly anchor: Anchor;
  readonly session: Pick<Session, 'isOpen'>;
  readonly live: Set<LiveRun>;
}

/** A worker between its start and its stop: its slots, what they share, and the parts beside them. */
export class Running<Tx> {
  readonly anchor: Anchor;
  readonly #given: RunningParts<Tx>;
  readonly #stopping = new AbortController();
  /** Aborted later than `#stopping`: a cancellation may still come while handlers end. */
  readonly #unsubscribing = new AbortController();
  readonly #alarm: Alarm;
  readonly #faults: Faults;
  readonly #parts: Parts;
  readonly #slots: Slots;
  readonly #surveyor: Surveyor;
  readonly #rounds: Rounds;
  #listening: Promise<void> = Promise.resolve();
  /** While the worker drains: rings when the handlers' time is over. */
  #patience: Alarm | null = null;

  constructor(given: RunningParts<Tx>) {
    const { driver, registry, clock, log, events, worker, anchor, live, pollMs, watchMs } = given;
    this.anchor = anchor;
    this.#given = given;
    this.#alarm = new Alarm(clock, () => {
      this.wake();
      this.#surveyor.watch.start();
    });
    this.#faults = new Faults({
      ...{ clock, log, events, worker },
      ...{ alarm: this.#alarm, stopping: this.#stopping.signal },
    });
    const shared = {
      ...{ driver, clock, log, worker, live, pollMs, watchMs, workerId: anchor.workerId },
      ...{ alarm: this.#alarm, stopping: this.#stopping.signal, onFault: this.#faults.meet },
    };
    const { queues, kinds, hasLimits } = registry;
    const wake = (): void => this.wake();
    this.#parts = new Parts(given.makeParts({ ...shared, queues, kinds, hasLimits, events, anchor, wake }));
    this.#slots = new Slots({
      ...shared,
      concurrency: given.concurrency,
      serve: (slot) => this.#rounds.serve(slot),
      idle: () => this.#rest(),
    });
    const positions = new Map(queues.map((queue) => [queue, new ScanPosition(pollMs)]));
    this.#surveyor = new Surveyor({
      ...shared,
      positions,
      lanes: registry,
      parts: this.#parts,
      busy: () => this.#slots.areAllOpen && !this.#stopping.signal.aborted,
      wake: () => this.wakeUp({}),
      done: () => {
        if (this.#slots.areAllClosed) this.#rest();
      },
    });
    const flow = this.#flow();
    this.#rounds = new Rounds({
      ...shared,
      positions,
      dueQueues: new DueQueues({ driver, lanes: registry, clock, mostMs: pollMs }),
      sweep: (pass, claimed) => sweep({ ...flow, claimed }, pass),
      sources: this.#parts.sources,
      slots: this.#slots,
      surveyor: this.#surveyor,
      answered: this.#faults.answered,
    });
  }

  #flow(): Omit<Flow<Tx>, 'claimed'> {
    const { driver, registry, clock, log, events, host, anchor, session, live } = this.#given;
    const refused = new RefusedJobs(
      this.#given,
      'the database refuses to settle a job, which is left for a while: unless the error says why, look at the triggers on its table',
    );
    return {
      ...{ driver, registry, clock, events, host, live, workerId: anchor.workerId },
      log: perSecond(log, clock),
      calls: this.#given,
      taken: new Set(),
      sizes: new BatchSizes(registry, clock, refused),
      records: new RunRecords(driver, clock),
      parts: this.#parts,
      reported: {
        unknownKinds: new Set(),
        leftBehind: new Set(),
        unsettled: new Unsettled(clock, log),
        refused,
      },
      stopping: this.#stopping.signal,
      anchored: () => session.isOpen,
      answered: () => anchor.pushed && this.#slots.isAnswered,
    };
  }

  /** Subscribes to wake-ups, the first of which starts the first look. */
  async start(): Promise<void> {
    await this.#parts.start();
    this.#listening = this.#listen().catch(this.#faults.meet);
  }

  /** Looks for work now. */
  wake(): void {
    // A slot that is opened goes on for long, and its caller's context is none of its business.
    inCleanContext(() => this.#slots.wake());
  }

  wakeUp(wakeUp: WakeUp): void {
    this.#parts.wakeUp(wakeUp);
    if (isHint(wakeUp)) {
      if (wakeUp.queue !== undefined) this.#rounds.beginAt(wakeUp.queue);
      this.wake();
    } else if ('poll' in wakeUp) {
      // One statement finds out whether there is anything to look for. That of the last poll may hang.
      if (this.#surveyor.mayLookAgain) this.wake();
      else this.#surveyor.soon(true);
    }
  }

  async #listen(): Promise<void> {
    const { anchor, registry, captured, pollMs } = this.#given;
    const { queues, handlers } = registry;
    const looksOften = handlers.some(({ claim, kind }) => claim === 'lease' || captured.has(kind));
    const { signal } = this.#unsubscribing;
    for await (const wakeUp of anchor.wakeUps({ queues, everyMs: pollMs, looksOften, signal }))
      this.wakeUp(wakeUp);
  }

  /** The worker is not idle before a survey that was put off, and before a look at all jobs that is to come. */
  #rest(): void {
    if (this.#surveyor.mayLookAgain || this.#rounds.mustLookAgain || this.#stopping.signal.aborted) return;
    this.#parts.idle();
    this.#given.events.emit('idle');
  }

  /** Claims nothing more, waits for the runs, and ends the session. */
  async stop(drainMs: number): Promise<void> {
    const { clock, live, anchor } = this.#given;
    this.#stopping.abort();
    this.#patience = new Alarm(clock, () => {
      for (const run of live) run.stop(new WorkerStoppedError());
    });
    this.hurry(drainMs);
    await this.#slots.stop();
    this.#patience.stop();
    this.#patience = null;
    this.#unsubscribing.abort();
    await this.#surveyor.stop();
    await this.#parts.stop();
    await this.#listening;
    this.#alarm.stop();
    await anchor.release();
  }

  /** While it stops: how long the handlers may still go on, in milliseconds. */
  hurry(drainMs: number): void {
    this.#patience?.within(drainMs);
  }
}
