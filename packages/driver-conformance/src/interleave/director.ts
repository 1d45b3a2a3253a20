import { Ranks } from './ranks.js';
import type { Move } from './step.js';

/** Decides whose turn it is. */
export interface Director {
  /** Undefined: what comes is of no interest. */
  choose(moves: readonly Move[], waiting: boolean): Move | undefined;
  /** All are at rest, and one comes back by itself. */
  restart(): void;
}

/** Goes where chance leads, which may be the same way twice. */
export function wandering(random: () => number): Director {
  const ranks = new Ranks(random);
  return { restart() {}, choose: (moves) => ranks.first(moves) };
}

/** The actor whose turn it is by a schedule is not there to go. */
export class OffSchedule extends Error {}

/** Follows a schedule: a letter for each turn. After its end the first goes who can. */
export function following(schedule: string): Director {
  const letters = [...schedule];
  return {
    restart() {},
    choose(moves) {
      const letter = letters.shift();
      if (letter === undefined) return moves[0];
      const move = moves.find(({ actor }) => actor === letter);
      if (move !== undefined) return move;
      const able = moves.map(({ actor, step }) => `${actor} (${step})`).join(', ');
      throw new OffSchedule(`The schedule says ${letter}, and only these could go: ${able}.`);
    },
  };
}
