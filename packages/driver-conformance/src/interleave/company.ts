import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase, Wait } from '../driver-harness.js';
import { gate } from '../until.js';
import type { Actor } from './actor.js';

/** After how long a step that has not finished has the server asked about it, in milliseconds. The server's word counts. */
const LOOK_MS = 10;

/**
 * For how many turns of the event loop nothing must have happened. Between two calls a worker waits for two at most, for
 * the records of its runs. So who could go is no matter of how fast the machine is.
 */
const QUIET_TURNS = 8;

/** A net for a step that neither finishes nor waits for a lock. */
const GUARD_MS = 60_000;

/** The callers' connections have this name, whoever opened them. */
const CALLERS = 'plain';

/** All actors, and whether they are still. */
export class Company<Tx> {
  readonly #database: TestDatabase<Tx>;
  readonly #actors: readonly Actor[];
  /** The names of the actors' connections. */
  readonly #sessions: ReadonlyMap<string, Actor>;
  readonly #waits: (waiting: Actor, holder: Actor | undefined) => void;
  #changed = gate();
  #changes = 0;

  constructor(
    database: TestDatabase<Tx>,
    sessions: ReadonlyMap<string, Actor>,
    waits: (waiting: Actor, holder: Actor | undefined) => void,
  ) {
    this.#database = database;
    this.#sessions = sessions;
    this.#actors = [...sessions.values()];
    this.#waits = waits;
    for (const actor of this.#actors) actor.onChange(() => this.#onChange());
  }

  /** Resolves when each actor waits for its turn, waits for a lock, or rests, and would do so for ever. */
  async still(): Promise<void> {
    const until = performance.now() + GUARD_MS;
    for (const actor of this.#actors) actor.waiting = false;
    for (;;) {
      this.#changed = gate();
      if (await this.#quiet()) {
        if (this.#restless().length === 0) return;
        const changed = await Promise.race([this.#changed.promise.then(() => true), sleep(LOOK_MS, false)]);
        if (!changed) await this.#findWaits();
      }
      if (performance.now() > until) {
        const letters = this.#restless().map(({ letter }) => letter);
        throw new Error(`Neither done nor waiting for a lock after ${GUARD_MS} ms: ${letters.join(', ')}.`);
      }
    }
  }

  /** Resolves with whether nothing has happened for a while. */
  async #quiet(): Promise<boolean> {
    const before = this.#changes;
    for (let turns = 0; turns < QUIET_TURNS && this.#changes === before; turns++) await setImmediate();
    return this.#changes === before;
  }

  /** What one has done may have ended another one's wait: the server is to be asked again. */
  #onChange(): void {
    this.#changes += 1;
    for (const actor of this.#actors) actor.waiting = false;
    this.#changed.open();
  }

  #restless(): readonly Actor[] {
    return this.#actors.filter((actor) => !actor.still && !actor.waiting);
  }

  async #findWaits(): Promise<void> {
    const before = this.#changes;
    const waits = [...(await this.#database.waits())];
    if (this.#changes !== before) return;
    const take = (actor: Actor): Wait | undefined => {
      const own = waits.findIndex(
        ({ waiting }) => this.#sessions.get(waiting) === actor || (actor.hasCallers && waiting === CALLERS),
      );
      return own === -1 ? undefined : waits.splice(own, 1)[0];
    };
    for (const actor of this.#actors) if (actor.waiting) take(actor);
    // Whose step waited before is the first to be taken for waiting still.
    const restless = [...this.#restless()].sort((one, other) => Number(other.waited) - Number(one.waited));
    for (const actor of restless) {
      const wait = take(actor);
      if (wait === undefined) continue;
      if (!actor.waited) this.#waits(actor, this.#sessions.get(wait.holder));
      actor.waiting = true;
      actor.waited = true;
    }
  }
}
