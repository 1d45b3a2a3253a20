import { openRaces, type Taken } from './races.js';
import { Ranks } from './ranks.js';
import { commute, includes, type Move } from './step.js';

/** A place where somebody has to be chosen. */
interface Fork {
  readonly moves: readonly Move[];
  /** Those whose orders from here on are run elsewhere: they were chosen before, and what came between changes nothing for them. */
  readonly asleep: readonly Move[];
  /** Those with whom an order must go on from here, the first wanted first. */
  readonly branches: Map<string, Branch>;
}

interface Branch {
  next: Fork | null;
  done: boolean;
}

interface Turn extends Taken {
  readonly fork: Fork;
  readonly branch: Branch;
}

/**
 * All orders in which actors can make their steps, as far as they have been run. Each pass through it is a new one.
 * Orders that differ only by steps that commute count as one: after a pass, for each two steps of it that do not commute
 * and could have come the other way round, that order is wanted too. So is the one in which a step comes that another has
 * ended: who died did not make it.
 *
 * The algorithm is source-DPOR with sleep sets (Abdulla, Aronis, Jonsson, Sagonas, "Optimal dynamic partial order
 * reduction", POPL 2014), but for the order in which the wanted ones are run: that is random.
 */
export class ScheduleTree {
  readonly #ranks: Ranks;
  readonly #root: Branch = { next: null, done: false };
  #path: Turn[] = [];
  #asleep: readonly Move[] = [];
  #barrier = false;
  /** Who could have gone when the pass was broken off. */
  #left: readonly Move[] = [];

  constructor(random: () => number) {
    this.#ranks = new Ranks(random);
  }

  /** Whether every order has been run. */
  get complete(): boolean {
    return this.#root.done;
  }

  /** Begins a new pass. */
  begin(): void {
    this.#path = [];
    this.#asleep = [];
    this.#barrier = false;
    this.#left = [];
    this.#ranks.begin();
  }

  /**
   * Chooses who goes next on this pass; undefined: every order from here on is run elsewhere.
   *
   * @param waiting Whether a step is waiting for a lock: what is done then may end its wait, so nothing commutes.
   */
  choose(moves: readonly Move[], waiting: boolean): Move | undefined {
    const fork = this.#fork(moves, waiting);
    const awake = moves.filter((move) => !includes(fork.asleep, move));
    if (fork.branches.size === 0) {
      const first = this.#ranks.first(awake);
      if (first !== undefined) fork.branches.set(first.actor, { next: null, done: false });
    }
    const move = this.#ranks.first(awake.filter(({ actor }) => fork.branches.get(actor)?.done === false));
    const branch = move && fork.branches.get(move.actor);
    if (move === undefined || branch === undefined) {
      this.#left = moves;
      return undefined;
    }

    const wanted = [...fork.branches.keys()];
    const before = wanted.slice(0, wanted.indexOf(move.actor));
    const earlier = awake.filter(({ actor }) => before.includes(actor));
    this.#asleep = [...fork.asleep, ...earlier].filter((other) => commute(other, move));
    this.#path.push({ fork, branch, move, moves, waiting, barrier: this.#barrier });
    this.#barrier = false;
    return move;
  }

  /** All are at rest, and one comes back by itself: nothing of before can change places with what comes now. */
  restart(): void {
    this.#barrier = true;
  }

  /** Ends the pass: this order need not be run again. */
  end(): void {
    for (const { place, actors } of openRaces(this.#path, this.#left)) {
      const fork = this.#path[place]?.fork;
      const known = actors.some(
        (actor) => fork?.branches.has(actor) || fork?.asleep.some((move) => move.actor === actor),
      );
      const able = actors.find((actor) => fork?.moves.some((move) => move.actor === actor));
      if (!known && able !== undefined) fork?.branches.set(able, { next: null, done: false });
    }
    close(this.#path.at(-1)?.branch ?? this.#root);
    for (const [place, { fork }] of [...this.#path.entries()].reverse()) {
      if ([...fork.branches.values()].some(({ done }) => !done)) return;
      close(this.#path[place - 1]?.branch ?? this.#root);
    }
  }

  #fork(moves: readonly Move[], waiting: boolean): Fork {
    const into = this.#path.at(-1)?.branch ?? this.#root;
    const asleep = waiting ? [] : this.#asleep.filter((move) => includes(moves, move));
    into.next ??= { moves, asleep, branches: new Map() };
    const [met, expected] = [names(moves), names(into.next.moves)];
    if (met === expected) return into.next;
    throw new Error(`The same steps led to another place: ${met} could go, and before ${expected}.`);
  }
}

function close(branch: Branch): void {
  branch.done = true;
  branch.next = null;
}

function names(moves: readonly Move[]): string {
  return moves.map(({ actor, step }) => `${actor} ${step}`).join(', ') || 'nobody';
}
