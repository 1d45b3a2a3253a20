import {
  createRowlock,
  type Driver,
  defineHandler,
  IllegalTransitionError,
  increment,
  isDriverError,
  type Limit,
  type Rowlock,
} from '@rowlock/core';
import { type AnyHandler, type PauseTarget, SETTLED } from '@rowlock/core/driver';
import type { Caller, DriverProcess } from '../driver-harness.js';
import { AnyJson } from '../worker-process.js';
import { Actor } from './actor.js';
import { admitted } from './admitted.js';
import { callsOf } from './calls.js';
import { LocalAnchor } from './local-anchor.js';
import type { Hands, JobOptions, ScenarioKind, Script } from './scenario.js';
import { StillClock } from './still-clock.js';
import { apartFrom, limitOf, type Surroundings } from './surroundings.js';
import { takeTurns } from './take-turns.js';
import { LATER } from './time.js';
import { SILENT } from './working.js';

/** What the scripts of one play have in common. */
export interface Properties<Tx> {
  readonly key: string;
  /** The public ids of the jobs, by their names. */
  readonly jobs: Map<string, string>;
  disconnect(worker: string): Promise<void>;
  kill(worker: string): Promise<void>;
  declareDead(worker: string): Promise<void>;
  timePasses(): Promise<void>;
  stop(worker: string): Promise<void>;
  readonly callers: Caller<Tx>[];
}

/** Somebody who does what a script says, through core's own client, whose driver waits for its turn. */
export class ScriptedActor<Tx> {
  readonly actor: Actor;
  readonly #client: Rowlock<Tx>;
  readonly #driver: Driver<Tx>;
  readonly #handlers: ReadonlyMap<string, AnyHandler<Tx>>;
  readonly #around: Surroundings<Tx>;
  readonly #properties: Properties<Tx>;
  #done: Promise<void> = Promise.resolve();

  constructor(
    letter: string,
    process: DriverProcess<Tx>,
    kinds: readonly ScenarioKind[],
    around: Surroundings<Tx>,
    properties: Properties<Tx>,
  ) {
    this.actor = new Actor(letter, true);
    this.#around = around;
    this.#properties = properties;
    const { breakage, database, queue, witness } = around;
    this.#handlers = new Map(
      kinds.map(({ kind, apart = false, limit }) => [
        kind,
        defineHandler({
          kind,
          queue: apart ? apartFrom(queue) : queue,
          payload: AnyJson,
          ...(limit !== undefined && limitOf(queue, limit)),
          run: () => {},
        }),
      ]),
    );
    const real = callsOf(process.driver, this.actor);
    const broken = breakage.driver?.(real, database.reader, queue) ?? real;
    this.#driver = takeTurns(admitted(broken, letter, witness.admissions), this.actor, new LocalAnchor('0'), {
      looks: async () => {},
      refused: async () => {},
      settling: () => {},
      putsOff: false,
      follows: true,
      wakes: around.wakes,
      willWake: () => {},
      came: (outcome) => around.came(this.actor, outcome),
    });
    // Its first wake-up goes along with the enqueue, those after it behind theirs.
    const clock = new StillClock();
    const driver = this.#driver;
    this.#client = createRowlock({ driver, handlers: [...this.#handlers.values()], log: SILENT, clock });
  }

  start(script: Script): void {
    this.#done = this.actor
      .follow(() => script(this.#hands))
      .catch((error: unknown) => this.#around.witness.fails(this.actor.letter, error));
  }

  /** Resolves when its script has ended. */
  done(): Promise<void> {
    return this.#done;
  }

  readonly #hands: Hands = {
    enqueue: (name, options) => this.#enqueue(name, options),
    cancel: async (name) => {
      try {
        return await this.#client.cancel(this.#named(name));
      } catch (error) {
        if (isNotMoved(error)) return undefined;
        throw error;
      }
    },
    redrive: async (name) => {
      try {
        const publicId = this.#named(name);
        await this.#client.redrive(publicId);
        this.#around.witness.redrives(publicId);
        return true;
      } catch (error) {
        if (isNotMoved(error)) return false;
        throw error;
      }
    },
    open: async () => {
      const caller = await this.#around.database.caller();
      this.#properties.callers.push(caller);
      return {
        enqueue: (name, options) => this.#enqueue(name, options, caller.tx),
        commit: () => this.actor.step('commit', () => caller.commit().then(() => this.#around.wakes([{}]))),
        rollback: () => this.actor.step('rollback', () => caller.rollback()),
      };
    },
    resize: (max) => this.#driver.admission.set(this.#limit(max).name, { max }, this.actor.letter),
    acquire: async (max) => {
      const slot = await this.#client.limits.slots(this.#limit(max).name, { max }).acquire();
      return slot.outcome === 'full' ? undefined : slot;
    },
    pause: () =>
      this.#driver.admission.pause({ ...this.#ownQueue, until: null, reason: null, by: this.actor.letter }),
    resume: () => this.#driver.admission.resume(this.#ownQueue),
    update: async (name) => {
      const publicId = this.#named(name);
      const operations = [increment('updates')];
      const change = { column: 'metadata', operations, from: ['new', ...SETTLED], mostBytes: 1_000 } as const;
      const { outcome } = await this.#driver.jobs.update(publicId, change);
      if (outcome === 'updated') this.#around.witness.updates(publicId);
    },
    disconnect: (worker) => this.actor.step('disconnect', () => this.#properties.disconnect(worker)),
    kill: (worker) => this.actor.step('disconnect', () => this.#properties.kill(worker)),
    declareDead: (worker) => this.actor.step('declareDead', () => this.#properties.declareDead(worker)),
    timePasses: () => this.actor.step('time', () => this.#properties.timePasses()),
    stop: (worker) => this.actor.step('stop', () => this.#properties.stop(worker)),
  };

  get #ownQueue(): PauseTarget {
    return { scope: 'queue', name: this.#around.queue };
  }

  #limit(max: number): Limit {
    return limitOf(this.#around.queue, max).limit;
  }

  async #enqueue(name: string, options: JobOptions = {}, tx?: Tx): ReturnType<Hands['enqueue']> {
    const {
      kind = [...this.#handlers.keys()][0],
      priority = 0,
      unique,
      after = [],
      later = false,
      keyless = false,
    } = options;
    const handler = this.#handlers.get(kind ?? '');
    if (handler === undefined) throw new Error(`The scenario has no kind ${kind}.`);
    const { key, jobs } = this.#properties;
    const job = {
      ...(!keyless && { key }),
      payload: name,
      priority,
      delay: later ? LATER : 0,
      after: after.map((other) => this.#named(other)),
      ...(unique !== undefined && { unique: `${key} ${unique}` }),
    };
    const enqueued = await this.#client.enqueue(handler, job, tx === undefined ? {} : { tx });
    await this.#client.jobs.flush();
    if (enqueued.outcome === 'enqueued') {
      jobs.set(name, enqueued.publicId);
      this.#around.witness.name(enqueued.publicId, name);
    }
    return enqueued;
  }

  #named(name: string): string {
    const publicId = this.#properties.jobs.get(name);
    if (publicId === undefined) throw new Error(`There is no job ${name} yet.`);
    return publicId;
  }
}

/** Whether the job's state does not allow a move, or another transaction has the job. */
function isNotMoved(error: unknown): boolean {
  return error instanceof IllegalTransitionError || isDriverError(error, 'LockTimeout');
}
