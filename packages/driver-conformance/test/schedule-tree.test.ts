import { expect, test } from 'vitest';
import { ScheduleTree } from '../src/interleave/schedule-tree.js';
import { commute, type Move, type Step } from '../src/interleave/step.js';
import { seeded } from '../src/random.js';

/** What each actor does, whatever the others do. */
type Program = Readonly<Record<string, readonly Step[]>>;

const STEPS: readonly Step[] = [
  'confirm',
  'claim',
  'survey',
  'startRuns',
  'notify',
  'settle',
  'commit',
  'write',
];

test('steps that commute are run in one order, and others in each', () => {
  expect(explored({ a: ['confirm', 'confirm'], b: ['survey', 'survey'] })).toHaveLength(1);
  expect(explored({ a: ['claim', 'claim'], b: ['claim', 'claim'] })).toHaveLength(6);
  expect(explored({ a: ['claim', 'confirm'], b: ['confirm', 'claim'], c: ['confirm'] })).toHaveLength(2);
});

test('of all orders that differ by more than steps that commute, each is run, and once', () => {
  const random = seeded(7);
  const some = (): readonly Step[] =>
    Array.from(
      { length: 1 + Math.floor(random() * 3) },
      () => STEPS[Math.floor(random() * STEPS.length)] ?? 'confirm',
    );
  for (let turn = 0; turn < 200; turn++) {
    const program: Program = { a: some(), b: some(), c: some() };
    const expected = new Set(allOrders(program).map(canonical));
    const found = explored(program, turn).map(canonical);
    expect(new Set(found), JSON.stringify(program)).toEqual(expected);
    expect(found, JSON.stringify(program)).toHaveLength(expected.size);
  }
});

test('who dies is met after each of its steps', () => {
  const steps: readonly Step[] = ['claim', 'confirm', 'settle'];
  for (let seed = 0; seed < 20; seed++) {
    const tree = new ScheduleTree(seeded(seed));
    const met = new Set<number>();
    while (!tree.complete) {
      tree.begin();
      const left = remaining({ a: steps, b: ['survey', 'claim'], s: ['disconnect'] });
      for (;;) {
        const move = tree.choose(next(left), false);
        if (move === undefined) break;
        left.get(move.actor)?.shift();
        if (move.step === 'disconnect') met.add(steps.length - (left.get('a')?.splice(0).length ?? 0));
      }
      tree.end();
    }
    expect([...met].toSorted(), `seed ${seed}`).toEqual([0, 1, 2, 3]);
  }
});

test('a step that waited for a lock commutes with nothing', () => {
  const tree = new ScheduleTree(seeded(1));
  let passes = 0;
  while (!tree.complete) {
    tree.begin();
    const left = new Map<string, Step[]>([
      ['a', ['confirm', 'confirm']],
      ['b', ['confirm', 'confirm']],
    ]);
    while (next(left).length > 0) {
      const move = tree.choose(next(left), true);
      if (move === undefined) break;
      left.get(move.actor)?.shift();
    }
    tree.end();
    passes += 1;
  }
  expect(passes).toBe(6);
});

test('what does not come back to the same place is an error', () => {
  const tree = new ScheduleTree(seeded(1));
  const a: Move = { actor: 'a', step: 'claim' };
  const b: Move = { actor: 'b', step: 'claim' };
  tree.begin();
  const first = tree.choose([a, b], false);
  tree.choose([first === a ? b : a], false);
  tree.end();
  tree.begin();
  expect(() => tree.choose([a], false)).toThrow(/another place/);
});

/** The orders that the tree has run, but for those it broke off. */
function explored(program: Program, seed = 1): readonly (readonly Move[])[] {
  const tree = new ScheduleTree(seeded(seed));
  const orders: Move[][] = [];
  while (!tree.complete) {
    tree.begin();
    const left = remaining(program);
    const order: Move[] = [];
    for (;;) {
      const moves = next(left);
      const move = moves.length > 0 ? tree.choose(moves, false) : undefined;
      if (move === undefined) {
        if (moves.length === 0) orders.push(order);
        break;
      }
      left.get(move.actor)?.shift();
      order.push(move);
    }
    tree.end();
  }
  return orders;
}

function allOrders(program: Program): readonly (readonly Move[])[] {
  const moves = next(remaining(program));
  if (moves.length === 0) return [[]];
  return moves.flatMap((move) => {
    const rest = { ...program, [move.actor]: program[move.actor]?.slice(1) ?? [] };
    return allOrders(rest).map((order) => [move, ...order]);
  });
}

function remaining(program: Program): Map<string, Step[]> {
  return new Map(Object.entries(program).map(([actor, steps]) => [actor, [...steps]]));
}

function next(left: ReadonlyMap<string, readonly Step[]>): readonly Move[] {
  return [...left].flatMap(([actor, [step]]) => (step === undefined ? [] : { actor, step }));
}

/** The same for all orders that differ by steps that commute: each time the first, by name, of those that could go. */
function canonical(order: readonly Move[]): string {
  const left = [...order];
  const named: string[] = [];
  while (left.length > 0) {
    const free = left.filter((move, place) => left.slice(0, place).every((before) => commute(before, move)));
    const first = free.toSorted((one, other) => one.actor.localeCompare(other.actor))[0];
    if (first === undefined) break;
    left.splice(left.indexOf(first), 1);
    named.push(`${first.actor} ${first.step}`);
  }
  return named.join(', ');
}
