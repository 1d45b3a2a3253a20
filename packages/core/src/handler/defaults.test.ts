import { expect, test } from 'vitest';
import { z } from 'zod';
import { checkDefaults, withDefaults } from './defaults.js';
import { defineHandler } from './handler.js';
import { failedJob } from './on-failed.js';

const greet = { kind: 'greet', payload: z.object({}), run: () => {} };
const Report = defineHandler({ kind: 'report', payload: failedJob, run: () => {} });

test("a program's defaults are the options of a handler that has none, each by itself", () => {
  const defaults = {
    retry: { base: '2s' },
    timeout: '5m',
    onInvalidPayload: 'fail',
    onFailed: Report,
  } as const;
  const retried = { baseMs: 2_000, factor: 2, capMs: 3_600_000 };
  expect(withDefaults(defineHandler(greet), defaults)).toMatchObject({
    ...{ backoff: retried, timeoutMs: 300_000, onInvalidPayload: 'fail', onFailed: Report },
  });
  const own = defineHandler({ ...greet, timeout: '30s', retry: { cap: '1m' }, onInvalidPayload: 'retry' });
  expect(withDefaults(own, defaults)).toMatchObject({
    backoff: { baseMs: 1_000, factor: 2, capMs: 60_000 },
    ...{ timeoutMs: 30_000, onInvalidPayload: 'retry', onFailed: Report },
  });
  expect(withDefaults(defineHandler(greet), {})).toEqual(defineHandler(greet));
});

test('the handler that all failures lead to has no follower by default', () => {
  expect(withDefaults(Report, { onFailed: Report }).onFailed).toBeUndefined();
});

test.each([
  ['an option that is no default', { queue: 'mails' }, /^defaults of createRowlock\(\) has no "queue"\./],
  ['a misspelt one', { attemps: 3 }, /Is attempts meant\?/],
  ['a list', [], /^defaults of createRowlock\(\) must be an object/],
  ['a misspelt pause', { retry: { bse: '1s' } }, /^retry of the defaults has no "bse"/],
  ['no attempts', { attempts: 0 }, /^attempts must be a whole number from 1 to 1000/],
  ['no time', { timeout: 0 }, /^timeout must be from 1 ms/],
  ['another end', { onInvalidPayload: 'skip' }, /^onInvalidPayload must be/],
  ['no handler', { onFailed: 'report' }, /^onFailed of the handler of/],
])('%s is refused', (_, defaults, message) => {
  expect(() => checkDefaults(Object(defaults))).toThrow(message);
});
