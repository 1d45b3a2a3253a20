import { expect, test } from 'vitest';
import { handClock } from '../../test/hand-clock.js';
import type { CaptureProblem } from '../driver/capture-store.js';
import { defineCapture } from './capture.js';
import { Uncaptured } from './uncaptured.js';

const MINUTE = 60_000;

const missing: CaptureProblem = { code: 'missing', message: 'There is no trigger.' };

/** A worker of the kinds `a` and `b` in a program that captures three kinds. */
function watching() {
  const clock = handClock();
  const world = {
    problems: [] as readonly CaptureProblem[],
    looked: [] as string[],
    fails: false,
    state: 0,
    states: 0,
    /** Whether each look finds another state. */
    isMoving: true,
    look() {},
  };
  const warned: unknown[] = [];
  const told: unknown[] = [];
  const stopping = new AbortController();
  const part = new Uncaptured({
    clock,
    worker: 'mill',
    stopping: stopping.signal,
    kinds: ['a', 'b'],
    captures: ['a', 'b', 'c'].map((kind) =>
      defineCapture({ name: `of ${kind}`, table: 't', id: ['id'], kind }),
    ),
    log: { debug() {}, info() {}, error() {}, warn: (fields: object) => void warned.push(fields) },
    events: { emit: (...given) => void told.push(given) },
    driver: {
      captures: {
        async check({ name }) {
          world.looked.push(name);
          world.look();
          if (world.fails) throw new Error('The account may not look.');
          return { problems: name === 'of a' ? world.problems : [], warnings: [] };
        },
        async states(plans) {
          world.states += 1;
          if (world.isMoving) world.state += 1;
          return plans.map(({ name }) => `${name} ${world.state}`);
        },
      },
    },
  });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    for (let n = 0; n < 20; n++) await Promise.resolve();
  };
  return { part, world, warned, told, pass, stopping };
}

test('a worker looks each minute at the captures whose kinds it serves', async () => {
  const { part, world, pass } = watching();
  part.start();
  await pass(MINUTE - 1);
  expect(world.looked).toEqual([]);
  await pass(1);
  await pass(MINUTE);
  expect(world.looked).toEqual(['of a', 'of b', 'of a', 'of b']);
  await part.stop();
  await pass(10 * MINUTE);
  expect(world.looked).toHaveLength(4);
});

test('it warns once of the same problems, and again when they are others or come back', async () => {
  const { part, world, warned, told, pass } = watching();
  part.start();
  world.problems = [missing];
  for (let n = 0; n < 3; n++) await pass(MINUTE);
  expect(warned).toEqual([{ capture: 'of a', problems: [missing.message], worker: 'mill' }]);
  expect(told).toEqual([['uncaptured', { name: 'of a', problems: [missing], warnings: [] }]]);
  world.problems = [missing, { code: 'unwelcome', message: 'Of no use.' }];
  await pass(MINUTE);
  world.problems = [];
  await pass(MINUTE);
  world.problems = [missing];
  await pass(MINUTE);
  expect(told).toHaveLength(3);
  for (let n = 0; n < 60; n++) await pass(MINUTE);
  expect(told).toHaveLength(4);
});

test('captures whose state is the same are not checked again within an hour, and warned of as before', async () => {
  const { part, world, told, pass } = watching();
  world.isMoving = false;
  world.problems = [missing];
  part.start();
  for (let n = 0; n < 60; n++) await pass(MINUTE);
  expect([world.looked, world.states]).toEqual([['of a', 'of b'], 60]);
  expect(told).toHaveLength(1);
  await pass(MINUTE);
  expect(world.looked).toHaveLength(4);
  expect(told).toHaveLength(2);
  world.state += 1;
  world.problems = [];
  await pass(MINUTE);
  expect(world.looked).toHaveLength(6);
});

test('a worker that stops looks at no further capture', async () => {
  const { part, world, pass, stopping } = watching();
  part.start();
  world.look = () => stopping.abort();
  await pass(MINUTE);
  await part.stop();
  await pass(10 * MINUTE);
  expect(world.looked).toEqual(['of a']);
});

test('a look that fails is no warning, and the next one comes', async () => {
  const { part, world, warned, pass } = watching();
  part.start();
  world.fails = true;
  await pass(MINUTE);
  world.fails = false;
  world.problems = [missing];
  await pass(MINUTE);
  expect(warned).toHaveLength(1);
});
