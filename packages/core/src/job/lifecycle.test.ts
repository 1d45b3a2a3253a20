import { expect, test } from 'vitest';
import {
  isLegal,
  isSettled,
  OUTSTANDING,
  SETTLED,
  STATES,
  TRANSITIONS,
  type TransitionName,
} from './lifecycle.js';

const events = Object.keys(TRANSITIONS) as TransitionName[];

test('every state is outstanding or settled, and none is both', () => {
  expect([...OUTSTANDING, ...SETTLED].sort()).toEqual([...STATES].sort());
});

test('every state is reached by an event, or is where a job begins', () => {
  const reached = new Set<string>(events.map((event) => TRANSITIONS[event].to));
  expect(STATES.filter((state) => !reached.has(state))).toEqual([]);
});

test.each(events)('%s starts from the states of the table alone', (event) => {
  const from: readonly string[] = TRANSITIONS[event].from;
  expect(STATES.filter((state) => isLegal(event, state))).toEqual(
    STATES.filter((state) => from.includes(state)),
  );
});

test.each(events)('%s leaves a settled state only by the word of a client', (event) => {
  const { from, by } = TRANSITIONS[event];
  if (from.some(isSettled)) expect(by).toBe('client');
});

test('a settled job is never claimed', () => {
  expect(SETTLED.filter((state) => isLegal('claim', state))).toEqual([]);
});
