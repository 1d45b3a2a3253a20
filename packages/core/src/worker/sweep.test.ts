import { expect, test } from 'vitest';
import { LowWater, START } from './low-water.js';
import { Sweep } from './sweep.js';

const at = (id: number) => ({ priority: 0, id: BigInt(id) });

test('a pass catches up with where the other slots have got to, and never goes back', () => {
  const low = new LowWater();
  low.found(START, at(500), 1, 0);
  const pass = new Sweep('q', low, 0);
  pass.line = at(100);
  pass.catchUp();
  expect(pass.line).toEqual(at(500));
  pass.line = at(900);
  pass.catchUp();
  expect(pass.line).toEqual(at(900));
});

test('a pass that is to look at all jobs does so first', () => {
  const low = new LowWater();
  low.found(START, at(500), 1, 0);
  const pass = new Sweep('q', low, 0);
  pass.catchUp();
  expect(pass.line).toBe(START);
  expect(pass.isWhole).toBe(true);
});
