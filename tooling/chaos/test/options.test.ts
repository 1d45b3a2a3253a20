import { expect, test } from 'vitest';
import { FAULTS } from '../src/faults/index.js';
import { readOptions, UsageError } from '../src/options.js';
import { plan } from '../src/plan.js';

test('everything is the default', () => {
  const { databases, modes, faults, mixed, json } = readOptions(['--seed', '7']);
  expect({ databases, modes, mixed, json }).toEqual({
    ...{ databases: ['postgres', 'mysql'], modes: ['hold', 'lease', 'batch'], mixed: false, json: false },
  });
  expect(faults).toEqual(FAULTS.map(({ name }) => name));
});

test.each([
  [['--quick'], '--quick'],
  [['--database', 'oracle'], '--database takes "postgres", "mysql", not "oracle".'],
  [['--fault', 'flood'], '--fault takes "kill -9"'],
  [['--minutes', 'ten'], '--minutes must be a number from 0.1 to 1440, not "ten".'],
  [['mixed'], 'mixed'],
  [['--schedules', '--mode', 'hold'], '--schedules takes no --mixed, --together, --mode and --fault.'],
])('%j is refused with a sentence', (args, sentence) => {
  expect(() => readOptions(args)).toThrow(UsageError);
  expect(() => readOptions(args)).toThrow(sentence);
});

test('five processes fire schedules, unless another number is given', () => {
  expect(readOptions(['--schedules']).workers).toBe(5);
  expect(readOptions(['--schedules', '--workers', '2']).workers).toBe(2);
  expect(readOptions([]).workers).toBe(3);
});

test('a seed has one plan, and another seed another', () => {
  const drawn = (seed: number) =>
    plan(seed, FAULTS, 30).map(({ fault, atMs, forMs }) => [fault.name, atMs, forMs]);
  expect(drawn(1)).toEqual(drawn(1));
  expect(drawn(1)).not.toEqual(drawn(2));
});

test('a plan of half an hour has every fault that can come and go', () => {
  const names = new Set(plan(1, FAULTS, 30).map(({ fault }) => fault.name));
  const wanted = FAULTS.filter(({ at }) => at !== 'always').map(({ name }) => name);
  expect([...names].sort()).toEqual(wanted.sort());
});
