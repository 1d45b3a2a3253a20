import { seeded } from '../random.js';
import { type Director, following, OffSchedule, wandering } from './director.js';
import { type Played, play } from './play.js';
import type { Scenario } from './scenario.js';
import type { Scene } from './scene.js';
import { commute, includes, type Move } from './step.js';

/** One turn of an order, and what could have been instead. */
interface Turn {
  readonly move: Move;
  readonly moves: readonly Move[];
  readonly waiting: boolean;
  /** Whether all were at rest before. */
  readonly restarted: boolean;
}

/** Lets another decide, and remembers. */
class Recording implements Director {
  readonly turns: Turn[] = [];
  readonly #director: Director;
  #restarted = false;

  constructor(director: Director) {
    this.#director = director;
  }

  choose(moves: readonly Move[], waiting: boolean): Move | undefined {
    const move = this.#director.choose(moves, waiting);
    if (move !== undefined) this.turns.push({ move, moves, waiting, restarted: this.#restarted });
    this.#restarted = false;
    return move;
  }

  restart(): void {
    this.#restarted = true;
    this.#director.restart();
  }
}

/**
 * Plays an order that is drawn by chance, and again with two neighbouring steps the other way round that are said to
 * commute, a pair of steps that is not in `swapped` yet. Returns where the two differ.
 */
export async function swapOnce<Tx>(
  scene: Scene<Tx>,
  scenario: Scenario,
  seed: number,
  swapped: Set<string>,
): Promise<readonly string[]> {
  const recording = new Recording(wandering(seeded(seed)));
  const one = await play(scene, scenario, recording);
  const { turns } = recording;
  const place = turns.findIndex((_, at) => canSwap(turns, at) && !swapped.has(pairAt(turns, at)));
  if (place === -1) return [];
  const pair = pairAt(turns, place);
  swapped.add(pair);
  const schedule = swap([...one.schedule], place).join('');
  const other = await playOf(scene, scenario, schedule);
  if (other === undefined) return [`${pair} do not commute`, `${schedule} cannot be played`];
  const isTurn = (line: string): boolean => !line.endsWith(' comes back');
  const expected = swap(one.steps.filter(isTurn), place);
  const met = other.steps.filter(isTurn);
  const from = expected.findIndex((line, at) => line !== met[at]);
  if (from === -1 && one.fates.join() === other.fates.join()) return [];
  return [
    `${pair} do not commute`,
    `${expected[from] ?? one.fates.join('; ')} became ${met[from] ?? other.fates.join('; ')}`,
    `schedules ${one.schedule} and ${schedule}`,
  ];
}

/** Undefined: an actor is not at the step that the schedule says. */
async function playOf<Tx>(
  scene: Scene<Tx>,
  scenario: Scenario,
  schedule: string,
): Promise<Played | undefined> {
  try {
    return await play(scene, scenario, following(schedule));
  } catch (error) {
    if (error instanceof OffSchedule) return undefined;
    throw error;
  }
}

function canSwap(turns: readonly Turn[], place: number): boolean {
  const [one, other, after] = turns.slice(place, place + 3);
  if (one === undefined || other === undefined || other.restarted) return false;
  return (
    ![one, other, after].some((turn) => turn?.waiting) &&
    commute(one.move, other.move) &&
    includes(one.moves, other.move)
  );
}

function pairAt(turns: readonly Turn[], place: number): string {
  const steps = turns.slice(place, place + 2).map(({ move }) => move.step);
  return steps.toSorted().join(' and ');
}

function swap<Each>(all: readonly Each[], place: number): Each[] {
  return [...all.slice(0, place), ...all.slice(place, place + 2).reverse(), ...all.slice(place + 2)];
}
