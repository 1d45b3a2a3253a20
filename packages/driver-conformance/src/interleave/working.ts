import { createRowlock, type Driver, type Logger, type Worker } from '@rowlock/core';
import type { ClaimSession, WakeUp } from '@rowlock/core/driver';
import { countStates } from '../count-states.js';
import type { DriverProcess } from '../driver-harness.js';
import { instead } from '../instead.js';
import { aborted } from '../until.js';
import { Actor } from './actor.js';
import { admitted } from './admitted.js';
import { callsOf } from './calls.js';
import { LocalAnchor } from './local-anchor.js';
import { losesAnswer } from './lost-answer.js';
import type { Scenario } from './scenario.js';
import type { WorkerSession } from './scene.js';
import { StillClock } from './still-clock.js';
import { apartFrom, type Surroundings } from './surroundings.js';
import { takeTurns } from './take-turns.js';
import { witnessedHandler } from './witnessed-handler.js';

export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** What a worker says before it pauses in the middle of a settlement. */
const PAUSING = /^a lease could not be settled/;

/** How often a worker's alarm may ring while others are still at it. */
const EARLY_ALARMS = 1;

/** One of core's own workers, whose driver and clock wait for its turn. */
export class WorkingActor<Tx> {
  readonly actor: Actor;
  readonly #process: DriverProcess<Tx>;
  readonly #around: Surroundings<Tx>;
  readonly #clock = new StillClock();
  readonly #anchor: LocalAnchor;
  readonly #session: WorkerSession | undefined;
  readonly #putsOff: boolean;
  readonly #follows: boolean;
  readonly #worker: Worker<Tx>;
  /** The session that has a transaction open. */
  #open: ClaimSession<Tx> | undefined;
  #expectant = false;
  #earlyAlarms = 0;
  /** How often it has come back by itself. */
  returns = 0;

  constructor(
    letter: string,
    process: DriverProcess<Tx>,
    { kinds, unanswered, putsOff = false, follows = false }: Scenario,
    around: Surroundings<Tx>,
    session?: WorkerSession,
  ) {
    // What is broken works on the plain client's connections.
    this.actor = new Actor(letter, around.breakage.driver !== undefined);
    this.#session = session;
    this.#putsOff = putsOff;
    this.#follows = follows;
    this.#anchor = new LocalAnchor(session?.workerId ?? '1');
    this.#process = process;
    this.#around = around;
    const { breakage, database, queue, witness } = around;
    const handlers = kinds.map((kind) => witnessedHandler(kind, this.actor, around));
    const watched = this.#watched(callsOf(process.driver, this.actor));
    const real = unanswered?.worker === letter ? losesAnswer(watched, unanswered.commit) : watched;
    const broken = breakage.driver?.(real, database.reader, queue) ?? real;
    const clock = breakage.clock?.(this.#clock) ?? this.#clock;
    this.#worker = createRowlock({
      driver: this.#turns(admitted(broken, letter, witness.admissions)),
      handlers,
      clock,
      log: this.#log,
    })
      .worker({ name: letter, concurrency: 1, pollInterval: '48h' })
      .on('blocked', () => this.#expect())
      .on('fault', (error) => {
        this.#expect();
        around.witness.fails(letter, error);
      })
      .on('lost', ({ runId }, error) => around.witness.loses(letter, runId, error))
      .on('released', ({ runId }) => around.witness.releases(runId))
      .on('settled', ({ runId }) => around.witness.settled(runId));
  }

  async start(): Promise<void> {
    await this.#worker.start();
  }

  async stop(): Promise<void> {
    await this.#worker.stop({ drain: 0 });
  }

  receive(wakeUps: readonly WakeUp[]): void {
    this.#anchor.receive(wakeUps);
  }

  /** Whether it has a reason to come back, and may do so now. */
  get mayComeBack(): boolean {
    return this.#expectant && this.#earlyAlarms < EARLY_ALARMS && this.hasAlarm;
  }

  /** Whether it will come back by itself. */
  get hasAlarm(): boolean {
    return this.actor.rests && !this.actor.isDead && this.#clock.hasAlarms;
  }

  comeBack(early: boolean): void {
    if (early) this.#earlyAlarms += 1;
    else this.returns += 1;
    this.#expectant = false;
    this.#clock.ring();
  }

  /** It is to stop, and goes on until it has. */
  dismiss(): void {
    void this.stop();
  }

  /** The server ends its connections. Resolves when it has noticed all of it. */
  async disconnect(): Promise<void> {
    const { witness, queue } = this.#around;
    const lost = this.#open?.lost;
    await this.#process.disconnect();
    witness.disconnects(this.actor.letter);
    if (lost !== undefined) await aborted(lost);
    // What idled in its pool: each use of a dead connection fails once.
    const { driver } = this.#process;
    const whole = (): Promise<boolean> =>
      Promise.all([1, 2, 3].map(() => countStates(driver, { queue }))).then(
        () => true,
        () => false,
      );
    while (!(await whole()));
  }

  /** Its process dies. What it would still have done, it does when the play is over. */
  async kill(): Promise<void> {
    this.actor.die();
    await this.disconnect();
    await this.declareDead();
  }

  /** Its session ends, and it does not know it. */
  async declareDead(): Promise<void> {
    this.#around.witness.declaresDead(this.actor.letter);
    await this.#session?.end();
  }

  readonly #log: Logger = {
    ...SILENT,
    debug: (_, message) => this.#hear(message),
    warn: (_, message) => this.#hear(message),
  };

  #hear(message: string): void {
    if (PAUSING.test(message)) this.#clock.hurry();
  }

  #expect(): void {
    this.#expectant = true;
  }

  /** Remembers which transaction is open, and reports its end. */
  #watched(driver: Driver<Tx>): Driver<Tx> {
    const { letter } = this.actor;
    const { witness } = this.#around;
    return instead(driver, {
      claims: {
        session: (options) => {
          const session = driver.claims.session(options);
          const opens = async <Found>(claiming: Promise<Found>): Promise<Found> => {
            this.#open = session;
            try {
              return await claiming;
            } catch (error) {
              this.#open = undefined;
              throw error;
            }
          };
          const over = (report: () => void) => (): void => {
            this.#open = undefined;
            report();
          };
          const commits = over(() => witness.commits(letter));
          const leases = over(() => {});
          return instead(session, {
            claim: (criteria) => opens(session.claim(criteria)),
            lockLeased: (runId, jobs, isCommitted) => opens(session.lockLeased(runId, jobs, isCommitted)),
            lease: (runId, jobs, forMs) => session.lease(runId, jobs, forMs).then(leases),
            release: (run) => session.release(run).then(commits),
            // Its next claim is a step of its own: see takeTurns.
            finish: async (settlements) => {
              const finished = await session.finish(settlements);
              if (finished.settled.length === settlements.length) commits();
              return finished;
            },
            commit: () => session.commit().then(commits),
            rollback: () => session.rollback().then(over(() => witness.rollsBack(letter))),
          });
        },
      },
    });
  }

  #turns(driver: Driver<Tx>): Driver<Tx> {
    const { actor } = this;
    const { letter } = actor;
    const { database, queue, witness, wakes, came } = this.#around;
    const surveying: Driver<Tx>['claims']['survey'] = async (lanes) => {
      const survey = await turns.claims.survey(lanes);
      if (survey.waiting || survey.leased || survey.nextDueMs !== null) this.#expect();
      return survey;
    };
    const turns = takeTurns(driver, actor, this.#anchor, {
      looks: async (at) => {
        const rows = [queue, apartFrom(queue)].map((each) => database.reader.jobs(each));
        witness.looks(letter, at, (await Promise.all(rows)).flat());
      },
      // Postgres lets go of an aborted transaction's locks by itself, but a little after its answer. The next statement
      // is answered when that is done.
      refused: async (tx) => {
        await database.run(tx, 'SELECT 1').catch(() => {});
      },
      putsOff: this.#putsOff,
      follows: this.#follows,
      settling: () => witness.settling(letter),
      wakes,
      willWake: () => {},
      came: (outcome) => came(actor, outcome),
    });
    return instead(turns, { claims: { survey: surveying } });
  }
}
