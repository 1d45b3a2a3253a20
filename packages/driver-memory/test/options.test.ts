import {
  createRowlock,
  defineCapture,
  defineHandler,
  definePlugin,
  defineSchedule,
  increment,
  pause,
  type Rowlock,
  retry,
} from '@rowlock/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MemoryTransaction, memory } from '../src/index.js';

const Anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;
const Work = defineHandler({ kind: 'work', payload: Anything, run: () => {} });
const UNTIL = new Date('2100-01-01');

let rowlock: Rowlock<MemoryTransaction>;
let publicId: string;

beforeAll(async () => {
  rowlock = createRowlock({ driver: memory(), handlers: [Work] });
  await rowlock.migrate();
  ({ publicId } = await rowlock.enqueue(Work, { payload: {}, delay: '1h' }));
  await rowlock.schedules.set('nightly', { handler: Work, payload: 1, every: '1h' });
});
afterAll(() => rowlock.close());

/** Every object of options, in a call that is right with it. The call may get anything in its place. */
const CALLS: readonly (readonly [name: string, given: object, call: (given: never) => unknown])[] = [
  ['createRowlock', { driver: memory() }, (given) => createRowlock(given)],
  ['memory', {}, (given) => memory(given)],
  ['worker', { concurrency: 1 }, (given) => rowlock.worker(given)],
  ['worker.stop', { drain: 0 }, (given) => rowlock.worker().stop(given)],
  ['defineHandler', { kind: 'a', payload: Anything, run() {} }, (given) => defineHandler(given)],
  [
    'retry of a handler',
    { base: '1s' },
    (given) => defineHandler({ kind: 'a', payload: Anything, retry: given, run() {} }),
  ],
  [
    'group of a handler',
    { max: 2 },
    (given) => defineHandler({ kind: 'a', payload: Anything, group: given, run() {} }),
  ],
  [
    'limit of a handler',
    { name: 'a', max: 1 },
    (given) => defineHandler({ kind: 'a', payload: Anything, limit: given, run() {} }),
  ],
  ['definePlugin', { name: 'a' }, (given) => definePlugin(given)],
  ['middleware', { run: () => {} }, (given) => definePlugin({ name: 'a', middleware: given })],
  ['defineSchedule', { handler: Work, payload: 1, every: '1h' }, (given) => defineSchedule(given)],
  [
    'missed',
    { all: { max: 2 } },
    (given) => defineSchedule({ handler: Work, payload: 1, every: '1h', overlap: 'allow', missed: given }),
  ],
  [
    'missed.all',
    { max: 2 },
    (given) =>
      defineSchedule({ handler: Work, payload: 1, every: '1h', overlap: 'allow', missed: { all: given } }),
  ],
  ['defineCapture', { name: 'a', table: 'a', id: ['id'], kind: 'a' }, (given) => defineCapture(given)],
  [
    'on of a capture',
    { insert: true },
    (given) => defineCapture({ name: 'a', table: 'a', id: ['id'], kind: 'a', on: given }),
  ],
  [
    'bulk of a capture',
    { over: 5 },
    (given) => defineCapture({ name: 'a', table: 'a', id: ['id'], kind: 'a', bulk: given }),
  ],
  ['enqueue', { payload: 1, priority: 1 }, (given) => rowlock.enqueue(Work, given)],
  ['unique', { key: 'a' }, (given) => rowlock.enqueue(Work, { payload: 1, unique: given })],
  [
    'onDuplicate',
    { debounce: { quiet: 1, max: 2 } },
    (given) => rowlock.enqueue(Work, { payload: 1, unique: { key: 'b', onDuplicate: given } }),
  ],
  [
    'debounce',
    { quiet: 1, max: 2 },
    (given) => rowlock.enqueue(Work, { payload: 1, unique: { key: 'c', onDuplicate: { debounce: given } } }),
  ],
  ['the call of enqueue', {}, (given) => rowlock.enqueue(Work, { payload: 1 }, given)],
  ['the call of find', {}, (given) => rowlock.find(publicId, given)],
  ['settled', { timeout: 1 }, (given) => rowlock.settled(publicId, given).catch(noTimeout)],
  ['the call of redrive', {}, (given) => rowlock.redrive(publicId, given).catch(noState)],
  ['update', { priority: 1 }, (given) => rowlock.update(publicId, given)],
  ['limit of an update', { name: 'a', max: 1 }, (given) => rowlock.update(publicId, { limit: given })],
  ['jobs.list', { queue: 'q' }, (given) => rowlock.jobs.list(given)],
  ['created of a list', { from: UNTIL }, (given) => rowlock.jobs.list({ created: given })],
  ['error of a list', { code: 'E' }, (given) => rowlock.jobs.list({ error: given })],
  ['jobs.count', { queue: 'q' }, (given) => rowlock.jobs.count(given)],
  ['the filter of cancelMany', { queue: 'q' }, (given) => rowlock.jobs.cancelMany(given)],
  ['cancelMany', { dryRun: true }, (given) => rowlock.jobs.cancelMany({ queue: 'q' }, given)],
  ['redriveMany', { dryRun: true }, (given) => rowlock.jobs.redriveMany({ queue: 'q' }, given)],
  ['deleteMany', { dryRun: true }, (given) => rowlock.jobs.deleteMany({ queue: 'q' }, given)],
  ['retention', { complete: '1d' }, (given) => rowlock.jobs.prune(given)],
  [
    'retention of a queue',
    { complete: '1d' },
    (given) => rowlock.jobs.prune({ error: '1d', queues: { q: given } }),
  ],
  ['prune', { dryRun: true }, (given) => rowlock.jobs.prune({ complete: '1d' }, given)],
  [
    'the call of updateMetadata',
    {},
    (given) => rowlock.jobs.updateMetadata(publicId, [increment('n')], given),
  ],
  [
    'an operation of updateMetadata',
    { do: 'increment', path: ['n'], by: 1 },
    (given) => rowlock.jobs.updateMetadata(publicId, [given]),
  ],
  [
    'a set of updateMetadata',
    { do: 'set', path: ['v'], value: 1 },
    (given) => rowlock.jobs.updateMetadata(publicId, [given]),
  ],
  ['jobs.pause', { until: UNTIL, reason: 'a' }, (given) => rowlock.jobs.pause({ kind: 'p' }, given)],
  ['the work of a pause', { kind: 'p' }, (given) => rowlock.jobs.pause(given)],
  ['the call of resume', {}, (given) => rowlock.jobs.resume({ kind: 'p' }, given)],
  [
    'the numbers of limits.set',
    { starts: 1, per: '1s', burst: 2 },
    (given) => rowlock.limits.set('a', given),
  ],
  ['the size of slots', { max: 3 }, (given) => rowlock.limits.slots('s', given)],
  [
    'acquire',
    { wait: 0, atMost: '1h' },
    async (given) => {
      const slot = await rowlock.limits.slots('s', { max: 3 }).acquire(given).catch(ifLost);
      await slot?.[Symbol.asyncDispose]();
    },
  ],
  [
    'the schedule of schedules.set',
    { handler: Work, payload: 1, every: '1h', jitter: '1s' },
    (given) => rowlock.schedules.set('nightly', given),
  ],
  ['insight.audit', { by: 'ann', limit: 1, cursor: null }, (given) => rowlock.insight.audit(given)],
  ['insight.trend', { last: '1h' }, (given) => rowlock.insight.trend(given)],
  ['pause() of a handler', { until: UNTIL, reason: 'a' }, (given) => pause(given)],
  ['retry() of a handler', { delay: 1 }, (given) => retry('no', given)],
];

const ODD: readonly unknown[] = [
  ...[5, 'x', '', true, null, [], {}, [null], Number.NaN, () => {}, 5n, new Date('never')],
  ...[Symbol('s'), [Symbol('s')], Object.create(null), [Object.create(null)]],
];
const cyclic = { self: {} };
cyclic.self = cyclic;

const noTimeout = (error: { code: string }) => {
  if (error.code !== 'ROWLOCK_NOT_SETTLED') throw error;
};
const noState = (error: { code: string }) => {
  if (error.code !== 'ROWLOCK_ILLEGAL_TRANSITION') throw error;
};

/** A slot of 5 ms may be lost before the caller has it. */
const ifLost = (error: { code: string }) => {
  if (error.code !== 'ConnectionLost') throw error;
};

/** JavaScript may pass anything. */
const outcome = async (call: (given: never) => unknown, given: unknown): Promise<unknown> => {
  const any: (given: unknown) => unknown = Object(call);
  try {
    await any(given);
    return 'accepted';
  } catch (error) {
    return error;
  }
};

describe('every object of options', () => {
  test.each(CALLS)(
    '%s: what is right is accepted, and an unknown member is refused',
    async (_, given, call) => {
      expect(await outcome(call, given)).toBe('accepted');
      expect(await outcome(call, { ...given, umknown: 1 })).toMatchObject({
        code: 'ROWLOCK_INVALID_INPUT',
        message: expect.stringMatching(/umknown|last argument|work must be/),
      });
    },
  );

  // A right call of `settled` without a timeout waits.
  test.each(CALLS.filter(([name]) => name !== 'settled'))(
    '%s: whatever it is, and its members are, an error is one of Rowlock',
    async (_, given, call) => {
      const odd = [...ODD, cyclic];
      const values = [
        ...odd,
        ...Object.keys(given).flatMap((name) => odd.map((value) => ({ ...given, [name]: value }))),
      ];
      for (const value of values) {
        const end = await outcome(call, value);
        if (end !== 'accepted')
          expect(end, String(Object.keys(Object(value)))).toMatchObject({
            code: expect.stringMatching(/^ROWLOCK_/),
          });
      }
    },
  );
});

test('the name that was meant is in the error', () => {
  expect(() => rowlock.limits.slots('s', Object({ mx: 3 }))).toThrow('Is max meant?');
});

test.each(['plugins', 'handlers', 'captures'])('%s that are no list are refused', (name) => {
  for (const value of [null, 5, {}, Symbol('s')])
    expect(() => createRowlock({ driver: memory(), ...Object({ [name]: value }) })).toThrow(
      expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT', message: expect.stringContaining(name) }),
    );
});

test('an event that is none is refused, whatever it is', () => {
  for (const name of ['none', Symbol('s'), 5n, Object.create(null), cyclic, ['settled']])
    expect(() => rowlock.worker().on(Object({ name }).name, () => {})).toThrow(
      expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT' }),
    );
});
