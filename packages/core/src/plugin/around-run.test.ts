import { expect, test, vi } from 'vitest';
import { PluginError } from '../errors.js';
import type { RunContext } from '../handler/handler.js';
import { snooze } from '../handler/outcome.js';
import { aroundRun } from './around-run.js';
import type { RunMiddleware } from './middleware.js';
import { definePlugin } from './plugin.js';

const stopping = new AbortController();
const failure = new Error('It failed.');

/** Calls a handler through the middleware of plugins that are named by their places. */
async function through(middleware: readonly RunMiddleware[], call: () => unknown = () => 'the result') {
  const around = aroundRun(
    middleware.map((run, place) => definePlugin({ name: `plugin ${place}`, middleware: { run } })),
  );
  const handler = { call: vi.fn(call), onReplaced: vi.fn() };
  const job = { publicId: 'job 1', queue: 'q', kind: 'work', payload: 1, attempt: 1, earlierRuns: 0 };
  const run: RunContext<unknown> = JSON.parse('{}', () => ({ job, signal: stopping.signal }));
  const [end] = await Promise.allSettled([around?.(run, handler)]);
  return { end, called: handler.call.mock.calls.length, replaced: handler.onReplaced.mock.calls.length };
}

const fulfilled = (value: unknown) => ({ status: 'fulfilled', value });
const rejected = (place: number, message: string, cause?: unknown) => ({
  status: 'rejected',
  reason: new PluginError(
    `plugin ${place}`,
    `The plugin "plugin ${place}": its run middleware ${message}`,
    cause === undefined ? {} : { cause },
  ),
});

test('where no plugin has middleware around runs there is none', () => {
  expect(
    aroundRun([definePlugin({ name: 'a', middleware: { enqueue: (_, next) => next() } })]),
  ).toBeUndefined();
});

test('the first plugin is the outermost', async () => {
  const passed: string[] = [];
  const named =
    (name: string): RunMiddleware =>
    async (_, next) => {
      passed.push(`${name} begins`);
      const result = await next();
      passed.push(`${name} ends`);
      return result;
    };
  const { end } = await through([named('a'), named('b')], () => void passed.push('handler'));
  expect(end).toEqual(fulfilled(undefined));
  expect(passed).toEqual(['a begins', 'b begins', 'handler', 'b ends', 'a ends']);
});

test.each<[string, RunMiddleware]>([
  ['returns it', (_, next) => next()],
  ['returns nothing', async (_, next) => void (await next())],
  ['does not await it', (_, next) => void next()],
])('a run ends as its handler does, where a middleware %s', async (_, middleware) => {
  expect(await through([middleware])).toMatchObject({ end: fulfilled('the result'), called: 1 });
  const throwing = async () => {
    throw failure;
  };
  for (const run of [throwing, () => Promise.reject(failure)])
    expect((await through([middleware], run)).end).toEqual({ status: 'rejected', reason: failure });
});

test('an error that is caught, and not replaced, is still that of the run', async () => {
  const swallows: RunMiddleware = async (_, next) => {
    await next().catch(() => {});
  };
  const { end, replaced } = await through([swallows], () => Promise.reject(failure));
  expect({ end, replaced }).toEqual({ end: { status: 'rejected', reason: failure }, replaced: 0 });
});

test('an outcome of a middleware counts, without the handler, or in place of its end', async () => {
  const later = snooze('1m');
  expect(await through([() => later])).toEqual({ end: fulfilled(later), called: 0, replaced: 0 });
  const instead: RunMiddleware = async (_, next) => {
    await next().catch(() => {});
    return later;
  };
  expect(await through([instead])).toEqual({ end: fulfilled(later), called: 1, replaced: 0 });
  // What the handler wrote is undone, as after any error.
  expect(await through([instead], () => Promise.reject(failure))).toEqual({
    end: fulfilled(later),
    called: 1,
    replaced: 1,
  });
});

test('an error of a middleware names its plugin, before next and after it', async () => {
  const pass: RunMiddleware = (_, next) => next();
  const before: RunMiddleware = () => {
    throw failure;
  };
  const after: RunMiddleware = async (_, next) => {
    await next();
    throw failure;
  };
  expect(await through([pass, before])).toMatchObject({
    end: rejected(1, 'threw: It failed.', failure),
    called: 0,
  });
  expect(await through([after, pass])).toMatchObject({
    end: rejected(0, 'threw: It failed.', failure),
    called: 1,
  });
});

test.each([undefined, null, 0, ''])(
  'a middleware that throws %o is an error of its plugin',
  async (thrown) => {
    const { end } = await through([() => Promise.reject(thrown)]);
    expect(end).toMatchObject({ status: 'rejected', reason: { code: 'ROWLOCK_PLUGIN', plugin: 'plugin 0' } });
  },
);

test('a run ends after its handler, also where a middleware throws meanwhile', async () => {
  const order: string[] = [];
  const throws: RunMiddleware = (_, next) => {
    void next();
    order.push('thrown');
    throw failure;
  };
  const slow = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    order.push('handler has ended');
  };
  expect((await through([throws], slow)).end).toEqual(rejected(0, 'threw: It failed.', failure));
  expect(order).toEqual(['thrown', 'handler has ended']);
});

test('a middleware that neither calls next nor returns an outcome fails the run', async () => {
  const { end, called } = await through([() => undefined]);
  expect(end).toEqual(rejected(0, 'neither called next() nor returned an outcome.'));
  expect(called).toBe(0);
});

test('a second call of next is refused, fails the run, and does not run the handler again', async () => {
  const twice: RunMiddleware = async (_, next) => {
    await next();
    void next();
    return next().catch(() => next());
  };
  const { end, called } = await through([twice]);
  expect(end).toEqual(rejected(0, 'called next() twice, or after its end.'));
  expect(called).toBe(1);
});

test('next is refused after the end of the middleware', async () => {
  let late: (() => Promise<unknown>) | undefined;
  const keeps: RunMiddleware = (_, next) => {
    late = next;
    return snooze('1m');
  };
  const { called } = await through([keeps]);
  await expect(late?.()).rejects.toMatchObject({ code: 'ROWLOCK_PLUGIN', plugin: 'plugin 0' });
  expect(called).toBe(0);
});

test('the reason of an abort that a middleware throws is no fault of its plugin', async () => {
  stopping.abort(failure);
  expect((await through([() => Promise.reject(failure)])).end).toEqual({
    status: 'rejected',
    reason: failure,
  });
});
