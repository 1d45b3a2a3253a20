import { expect, test } from 'vitest';
import { InvalidPayloadError } from '../errors.js';
import { jobError, plainError } from './job-error.js';

test('an error keeps its code, or its name', () => {
  expect(jobError(Object.assign(new Error('full'), { code: 'ENOSPC' }))).toMatchObject({
    code: 'ENOSPC',
    message: 'full',
  });
  expect(jobError(new TypeError('x is not y'))).toMatchObject({ code: 'TypeError', message: 'x is not y' });
});

test('an error keeps where it was thrown, without its message and without the frames of Node', () => {
  const { stack = '' } = jobError(new Error('secret\nlines'));
  expect(stack).toMatch(/^ +at .*job-error\.test\.ts:\d+:\d+/);
  expect(stack).not.toMatch(/secret|lines|node:/);
});

test('an error keeps its causes, each with its message and its place', () => {
  function innermost(): Error {
    return Object.assign(new Error('connect 10.0.0.7:5432'), { code: 'ECONNREFUSED' });
  }
  const error = new Error('the report failed', {
    cause: new TypeError('fetch failed', { cause: innermost() }),
  });
  const lines = jobError(error).stack?.split('\n') ?? [];
  const heads = lines.filter((line) => !line.startsWith(' '));
  expect(heads).toEqual([
    'Caused by TypeError: fetch failed',
    'Caused by ECONNREFUSED: connect 10.0.0.7:5432',
  ]);
  expect(lines[lines.indexOf(heads[1] ?? '') + 1]).toContain('at innermost');
});

test('a stack is cut: by the frames of each error, so that the innermost cause has room, and by its length', () => {
  const deep = (frames: number): string =>
    ['Error: x', ...Array.from({ length: frames }, () => '    at work (file:///app/work.ts:1:1)')].join('\n');
  const inner = Object.assign(new Error('inner'), { stack: deep(100) });
  const outer = Object.assign(new Error('outer', { cause: inner }), { stack: deep(100) });
  expect(jobError(outer).stack?.split('\n')).toHaveLength(25);
  const long = `Error: x\n    at ${'x'.repeat(10_000)}\0`;
  expect(jobError(Object.assign(new Error('x'), { stack: long })).stack).toHaveLength(4_000);
});

test('frames as JavaScriptCore writes them are kept', () => {
  const stack = 'run@/app/report.ts:12:7\nmodule code@/app/report.ts:1:1\n@node:internal/x:1:1';
  expect(jobError(Object.assign(new Error('x'), { stack })).stack).toBe(
    'run@/app/report.ts:12:7\nmodule code@/app/report.ts:1:1',
  );
});

test("frames of Rowlock's own code are left out where it is installed, and so is a stack of these alone", () => {
  const own = '    at run (file:///app/node_modules/@rowlock/core/dist/index.js:1:2)';
  const stack = (...frames: string[]) =>
    Object.assign(new Error('x'), { stack: ['Error: x', ...frames].join('\n') });
  expect(jobError(stack('    at work (file:///app/work.js:1:2)', own)).stack).toBe(
    '    at work (file:///app/work.js:1:2)',
  );
  expect(jobError(stack(own, own.replaceAll('/', '\\')))).toEqual({ code: 'Error', message: 'x' });
});

test.each<[string, Error]>([
  ['an empty stack', Object.assign(new Error('x'), { stack: '' })],
  ['a stack that is no text', Object.assign(new Error('x'), { stack: 7 })],
])('%s is none', (_, error) => {
  expect(jobError(error)).toEqual({ code: 'Error', message: 'x' });
});

test('an error keeps its own stack when its cause throws', () => {
  const error = Object.assign(new Error('x'), { stack: 'Error: x\n    at work (file:///app/work.js:1:2)' });
  Object.defineProperty(error, 'cause', { get: refuse });
  expect(jobError(error).stack).toBe('    at work (file:///app/work.js:1:2)');
});

test('an invalid payload says what is wrong where', () => {
  const error = new InvalidPayloadError('k', [{ path: ['rows', 0], message: 'Expected text' }]);
  expect(jobError(error)).toMatchObject({
    code: 'ROWLOCK_INVALID_PAYLOAD',
    details: [{ path: ['rows', 0], message: 'Expected text' }],
  });
});

test.each([[undefined], [null], [{ a: 1 }], [7n], ['text']])(
  'whatever is thrown has a message: %s',
  (thrown) => {
    expect(jobError(thrown).message).toEqual(expect.any(String));
  },
);

test('a message is cut, and holds nothing that a database refuses', () => {
  expect(jobError('x'.repeat(10_000)).message).toHaveLength(4_000);
  expect(jobError('a\0b\ud800c').message).toBe('a\uFFFDb\uFFFDc');
});

test('a code is cut, and holds nothing that a database refuses, whether it is a code or a name', () => {
  const codes = ['a\0b\ud800c', `${'x'.repeat(127)}\u{1F600}`, 'y'.repeat(1_000)];
  for (const given of [(code: string) => ({ code }), (name: string) => ({ name })]) {
    const stored = codes.map((code) => jobError(Object.assign(new Error('x'), given(code))).code);
    expect(stored).toEqual(['a\uFFFDb\uFFFDc', `${'x'.repeat(127)}\uFFFD`, 'y'.repeat(128)]);
  }
});

test('the path of an issue is text that a database stores, or a number', () => {
  const path = ['a\0', 3, 'x'.repeat(1_000), ...Array.from({ length: 200 }, () => 'deep')];
  const issues = Array.from({ length: 100 }, () => ({ path, message: 'm' }));
  const { details } = jobError(new InvalidPayloadError('k', issues));
  expect(details).toHaveLength(20);
  expect(details).toContainEqual({
    path: ['a\uFFFD', 3, 'x'.repeat(512), ...Array.from({ length: 97 }, () => 'deep')],
    message: 'm',
  });
});

function refuse(): never {
  throw new Error('out of reach');
}

/** An error of which one member is something else. */
function odd(member: PropertyDescriptor, name: string): Error {
  return Object.defineProperty(new Error('told'), name, member);
}

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;
const cause = Object.assign(new Error('told'), { cause: cyclic });

test.each<[string, unknown, object]>([
  [
    'a message that is an object',
    odd({ value: { rows: 2 } }, 'message'),
    { code: 'Error', message: '{"rows":2}' },
  ],
  [
    'a message that is a symbol',
    odd({ value: Symbol('s') }, 'message'),
    { code: 'Error', message: 'Symbol(s)' },
  ],
  ['a message that is a number', odd({ value: 7 }, 'message'), { code: 'Error', message: '7' }],
  ['a message that throws', odd({ get: refuse }, 'message'), { code: 'Error', message: expect.any(String) }],
  [
    'no message and a name that throws',
    Object.defineProperty(new Error(), 'name', { get: refuse }),
    { code: 'Error' },
  ],
  ['a name that is a symbol', odd({ value: Symbol('s') }, 'name'), { code: 'Symbol(s)', message: 'told' }],
  ['a name that is nothing', odd({ value: undefined }, 'name'), { code: 'Error', message: 'told' }],
  ['a name that throws', odd({ get: refuse }, 'name'), { code: 'Error', message: 'told' }],
  ['a code that throws', odd({ get: refuse }, 'code'), { code: 'Error', message: 'told' }],
  ['an empty code', odd({ value: '' }, 'code'), { code: 'Error', message: 'told' }],
  ['a stack that throws', odd({ get: refuse }, 'stack'), { code: 'Error', message: 'told' }],
  ['a cause that has itself', cause, { code: 'Error', message: 'told' }],
  ['a frozen error', Object.freeze(new Error('told')), { code: 'Error', message: 'told' }],
  ['a frozen object', Object.freeze({ a: 1 }), { message: '{"a":1}' }],
  ['a cycle', cyclic, {}],
  ['a symbol', Symbol('s'), { message: 'Symbol(s)' }],
  ['a function', () => 1, { message: '() => 1' }],
  ['an object that cannot be JSON', { toJSON: refuse }, {}],
  ['an object without a prototype', Object.create(null), { message: '{}' }],
  ['a proxy that refuses everything', new Proxy(new Error('told'), { get: refuse, has: refuse }), {}],
  ['a proxy without a prototype', new Proxy({}, { getPrototypeOf: refuse, get: refuse }), {}],
  ['a revoked proxy', revoked(), {}],
  [
    'issues that are none',
    Object.assign(new InvalidPayloadError('k', []), { issues: [{ path: [Symbol('s')], message: 1 }] }),
    {
      details: [{ path: ['Symbol(s)'], message: '1' }],
    },
  ],
  [
    'issues that throw',
    Object.defineProperty(new InvalidPayloadError('k', []), 'issues', { get: refuse }),
    {},
  ],
])('what may be thrown can be stored: %s', (_, thrown, stored) => {
  const error = jobError(thrown);
  expect(error).toMatchObject({
    code: expect.stringMatching(/^.{1,128}$/),
    message: expect.stringMatching(/./),
    ...stored,
  });
  expect(JSON.parse(JSON.stringify(error))).toEqual(error);
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

test('a plain error is ASCII, and tells the other characters by their numbers', () => {
  const message = 'a caf\u00e9\n\u2713 \u{1f600}\u00a0';
  expect(plainError({ code: 'E_\u00c4', message, details: [1], stack: '    at \u00e9' })).toEqual({
    code: 'E_\\u{c4}',
    message: 'a caf\\u{e9}\n\\u{2713} \\u{1f600}\\u{a0}',
    stack: '    at \\u{e9}',
  });
});
