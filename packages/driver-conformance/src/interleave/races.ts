import { commute, includes, type Move } from './step.js';

/** One turn of a pass. */
export interface Taken {
  readonly move: Move;
  /** Who could have gone, this one among them. */
  readonly moves: readonly Move[];
  /** Whether a step was waiting for a lock then. */
  readonly waiting: boolean;
  /** Whether nothing of before can come after this. */
  readonly barrier: boolean;
}

/** Two steps that could have come the other way round: who of `actors` had to go at `place` for that. */
export interface Race {
  readonly place: number;
  readonly actors: readonly string[];
}

/**
 * All races of a pass.
 *
 * @param left Who could still have gone at its end.
 */
export function openRaces(turns: readonly Taken[], left: readonly Move[]): readonly Race[] {
  const causes: Set<number>[] = [];
  const races: Race[] = ended(turns, left);
  for (let late = 0; late < turns.length; late++) {
    const own = new Set<number>();
    const met: number[] = [];
    for (let early = late - 1; early >= 0; early--) {
      if (own.has(early) || !ordered(turns, early, late)) continue;
      met.push(early);
      own.add(early);
      for (const cause of causes[early] ?? []) own.add(cause);
    }
    causes.push(own);
    for (const early of met) {
      if (canRace(turns, early, late))
        races.push({ place: early, actors: firsts(turns, causes, early, late) });
    }
  }
  return races;
}

/** The steps that were not made, because another one ended them: an actor died, or was woken before its alarm. */
function ended(turns: readonly Taken[], left: readonly Move[]): Race[] {
  return turns.flatMap(({ move, moves }, place) => {
    const after = turns[place + 1]?.moves ?? left;
    return moves
      .filter((other) => other.actor !== move.actor && !includes(after, other))
      .map(({ actor }) => ({ place, actors: [actor] }));
  });
}

/** Whether these two must stay in their order, for all that is between them. */
function ordered(turns: readonly Taken[], early: number, late: number): boolean {
  const [one, other] = [turns[early], turns[late]];
  if (one === undefined || other === undefined) return false;
  return (
    !commute(one.move, other.move) ||
    [early, late].some((place) => waits(turns, place)) ||
    turns.slice(early + 1, late + 1).some(({ barrier }) => barrier) ||
    enabler(turns, late) === early
  );
}

/** Whether the late one could have gone before the early one: its actor could go already, and is another. */
function canRace(turns: readonly Taken[], early: number, late: number): boolean {
  const [one, other] = [turns[early], turns[late]];
  return (
    one?.move.actor !== other?.move.actor &&
    enabler(turns, late) !== early &&
    !turns.slice(early + 1, late + 1).some(({ barrier }) => barrier)
  );
}

/** Whether a step was waiting for a lock before or after this one. */
function waits(turns: readonly Taken[], place: number): boolean {
  return turns[place]?.waiting === true || turns[place + 1]?.waiting === true;
}

/** After which turn this step could be made. */
function enabler(turns: readonly Taken[], place: number): number {
  const move = turns[place]?.move;
  let before = place - 1;
  while (before >= 0 && has(turns[before], move)) before--;
  return before;
}

function has(turn: Taken | undefined, move: Move | undefined): boolean {
  return turn !== undefined && move !== undefined && includes(turn.moves, move);
}

/** Who may go first in what comes after the early one without it, up to the late one. */
function firsts(
  turns: readonly Taken[],
  causes: readonly ReadonlySet<number>[],
  early: number,
  late: number,
): readonly string[] {
  const free: number[] = [];
  for (let place = early + 1; place <= late; place++) {
    if (place === late || !causes[place]?.has(early)) free.push(place);
  }
  const actors = free.flatMap((place) => {
    const move = turns[place]?.move;
    const caused = free.some((other) => other < place && causes[place]?.has(other));
    return move === undefined || caused ? [] : [move.actor];
  });
  return [...new Set(actors)];
}
