import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase, Wait } from '../driver-harness.js';
import { gate } from '../until.js';
import type { Actor } from './actor.js';

/** After how long a step that has not finished has the server asked about it, in milliseconds. The server's word counts. */
const LOOK_MS = 10;

/** A net for a step that neither finishes nor waits for a lock. */
const GUARD_MS = 30_000;

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

  /** Resolves when each actor waits for its turn, waits for a lock, or rests. */
  async still(): Promise<void> {
    const until = performance.now() + GUARD_MS;
    for (const actor of this.#actors) actor.waiting = false;
    for (;;) {
      this.#changed = gate();
      // A wake-up reaches its worker within one turn of the event loop.
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (this.#restless().length === 0) return;
      const changed = await Promise.race([this.#changed.promise.then(() => true), sleep(LOOK_MS, false)]);
      if (!changed) await this.#findWaits();
      if (performance.now() > until) {
        const letters = this.#restless().map(({ letter }) => letter);
        throw new Error(`Neither done nor waiting for a lock after ${GUARD_MS} ms: ${letters.join(', ')}.`);
      }
    }
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
