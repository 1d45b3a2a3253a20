import {
  type AnyHandler,
  ClaimLostError,
  createRowlock,
  type Driver,
  defineHandler,
  type HeldTransaction,
  type Logger,
  type RunContext,
  type WakeUp,
  type Worker,
} from '@rowlock/core';
import { AnyJson } from '../crew.js';
import type { DriverProcess, TestDatabase } from '../driver-harness.js';
import { instead } from '../instead.js';
import { Actor } from './actor.js';
import type { ScenarioKind } from './scenario.js';
import { EFFECTS } from './scene.js';
import { StillClock } from './still-clock.js';
import { takeTurns } from './take-turns.js';
import { ToldAnchor } from './told-anchor.js';
import type { Twist } from './twist.js';
import type { Witness } from './witness.js';

export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** How often a worker's alarm may ring while others are still at it. */
const EARLY_ALARMS = 1;

/** What a play gives to each of its actors. */
export interface Surroundings<Tx> {
  readonly database: TestDatabase<Tx>;
  readonly queue: string;
  readonly witness: Witness;
  readonly twist: Twist;
  /** Wakes all workers. */
  wakes(wakeUps: readonly WakeUp[]): void;
  /** What came of an actor's step. */
  came(actor: Actor, outcome: string): void;
}

/** The queue of jobs that are apart from the others. */
export function apartFrom(queue: string): string {
  return `${queue}-apart`;
}

/** One of core's own workers, whose driver and clock wait for its turn. */
export class WorkingActor<Tx> {
  readonly actor: Actor;
  readonly #process: DriverProcess<Tx>;
  readonly #around: Surroundings<Tx>;
  readonly #clock = new StillClock();
  readonly #anchor = new ToldAnchor('1');
  readonly #worker: Worker<Tx>;
  #held: HeldTransaction<Tx> | undefined;
  #expectant = false;
  #earlyAlarms = 0;
  /** How often it has come back by itself. */
  returns = 0;

  constructor(
    letter: string,
    process: DriverProcess<Tx>,
    kinds: readonly ScenarioKind[],
    around: Surroundings<Tx>,
  ) {
    this.actor = new Actor(letter, false);
    this.#process = process;
    this.#around = around;
    const { twist, database, queue } = around;
    const handlers = kinds.map((kind) => this.#handler(kind));
    const real = this.#watched(process.driver);
    const broken = twist.driver?.(real, database.reader, queue) ?? real;
    const clock = twist.clock?.(this.#clock) ?? this.#clock;
    this.#worker = createRowlock({ driver: this.#turns(broken), handlers, clock, log: SILENT })
      .worker({ name: letter, concurrency: 1, pollInterval: '24h' })
      .on('idle', () => this.actor.rest())
      .on('blocked', () => this.#expect())
      .on('fault', (error) => {
        this.#expect();
        around.witness.fails(letter, error);
      })
      .on('lost', ({ processId }, error) => around.witness.loses(letter, processId, error))
      .on('settled', ({ processId }) => around.witness.settled(processId));
  }

  async start(): Promise<void> {
    await this.#worker.start();
  }

  async stop(): Promise<void> {
    await this.#worker.stop({ drain: 0 });
  }

  hear(wakeUps: readonly WakeUp[]): void {
    this.#anchor.tell(wakeUps);
  }

  /** Whether it has been told to come back, and may do so now. */
  get mayComeBack(): boolean {
    return this.#expectant && this.#earlyAlarms < EARLY_ALARMS && this.hasAlarm;
  }

  /** Whether it will come back by itself. */
  get hasAlarm(): boolean {
    return !this.actor.busy && !this.actor.isDead && this.#clock.hasAlarms;
  }

  comeBack(early: boolean): void {
    if (early) this.#earlyAlarms += 1;
    else this.returns += 1;
    this.#expectant = false;
    this.#clock.ring();
  }

  /** The server ends its connections. Resolves when it has noticed all of it. */
  async disconnect(): Promise<void> {
    const { witness, queue } = this.#around;
    const held = this.#held;
    await this.#process.disconnect();
    witness.disconnects(this.actor.letter);
    if (held !== undefined && !held.lost.aborted) {
      await new Promise((resolve) => held.lost.addEventListener('abort', resolve, { once: true }));
    }
    // What idled in its pool: each use of a dead connection fails once.
    const { driver } = this.#process;
    const whole = (): Promise<boolean> =>
      Promise.all([1, 2, 3].map(() => driver.count({ queue }))).then(
        () => true,
        () => false,
      );
    while (!(await whole()));
  }

  /** Its process dies. What it would still have done, it does when the play is over. */
  async kill(): Promise<void> {
    this.actor.die();
    await this.disconnect();
  }

  #expect(): void {
    this.#expectant = true;
  }

  /** Remembers the transaction that is open. */
  #watched(driver: Driver<Tx>): Driver<Tx> {
    return instead(driver, {
      begin: async (options) => {
        const held = await driver.begin(options);
        this.#held = held;
        const over = <Result>(result: Result): Result => {
          this.#held = undefined;
          return result;
        };
        return instead(held, {
          commit: () => held.commit().then(over),
          rollback: () => held.rollback().then(over),
        });
      },
    });
  }

  #turns(driver: Driver<Tx>): Driver<Tx> {
    const { actor } = this;
    const { letter } = actor;
    const { database, queue, witness, wakes, came } = this.#around;
    const surveying: Driver<Tx>['survey'] = async (lanes) => {
      const survey = await turns.survey(lanes);
      if (survey.waiting) this.#expect();
      return survey;
    };
    const turns = takeTurns(driver, actor, this.#anchor, {
      looks: async (at) => {
        const rows = [queue, apartFrom(queue)].map((each) => database.reader.jobs(each));
        witness.looks(letter, at, (await Promise.all(rows)).flat());
      },
      // Postgres lets go of an aborted transaction's locks by itself, but a little after it has told of the error. The
      // next statement is answered when that is done.
      refused: async (tx) => {
        await database.run(tx, 'SELECT 1').catch(() => {});
      },
      settling: () => witness.settling(letter),
      ended: () => witness.ends(letter),
      wakes,
      willWake: () => {},
      came: (outcome) => came(actor, outcome),
    });
    return instead(turns, { survey: surveying });
  }

  #handler({ kind, group = false, after = [], apart = false }: ScenarioKind): AnyHandler<Tx> {
    const { actor } = this;
    const { database, queue, witness } = this.#around;
    return defineHandler({
      kind,
      queue: apart ? apartFrom(queue) : queue,
      payload: AnyJson,
      group,
      after,
      timeout: '24h',
      run: async ({ tx, jobs, key, processId, signal }: RunContext<unknown, Tx>) => {
        const own = jobs.map(({ publicId }) => publicId);
        const run = {
          actor: actor.letter,
          processId,
          queue: apart ? apartFrom(queue) : queue,
          key,
          jobs: own,
        };
        witness.begins(run, signal.reason instanceof ClaimLostError);
        witness.mustFollow(run, after);
        await actor.step('write', async () => {
          if (signal.aborted) throw signal.reason;
          const values = own.map((publicId) => `('${queue}', '${publicId}')`).join(', ');
          await database.run(tx, `INSERT INTO ${EFFECTS} VALUES ${values}`);
        });
      },
    });
  }
}
