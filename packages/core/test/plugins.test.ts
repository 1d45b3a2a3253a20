import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  type Clock,
  createRowlock,
  type Driver,
  defineHandler,
  definePlugin,
  type Plugin,
} from '../src/index.js';
import { emptyDatabase, job, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';
import { gate, settled } from './resting-worker.js';

const failure = new Error('It failed.');

/** A worker with these plugins, on a database with one job, and what happens to it in order. */
function worker(
  plugins: (happened: string[]) => readonly Plugin[],
  change: (driver: Driver) => Partial<Driver> = () => ({}),
  options: { readonly clock?: Clock } = {},
) {
  const happened: string[] = [];
  const jobs = [job(1n)];
  const claim = () => {
    happened.push('claim');
    return jobs.shift();
  };
  const { driver } = emptyDatabase({ claim, survey: () => NOTHING });
  const logged: [string, object][] = [];
  const log = (level: string) => (fields: object, message: string) =>
    void logged.push([`${level}: ${message}`, fields]);
  const handler = defineHandler({ kind: 'work', payload: z.unknown(), run: () => void happened.push('run') });
  const rowlock = createRowlock({
    driver: { ...driver, ...change(driver) },
    handlers: [handler],
    plugins: plugins(happened),
    ...options,
    log: { debug: () => {}, info: log('info'), warn: log('warn'), error: log('error') },
  });
  return { rowlock, worker: rowlock.worker({ name: 'mill' }), happened, logged };
}

const plugin = (name: string, happened: string[], fails: { start?: boolean; stop?: boolean } = {}): Plugin =>
  definePlugin({
    name,
    async start() {
      happened.push(`start ${name}`);
      if (fails.start) throw failure;
    },
    async stop() {
      happened.push(`stop ${name}`);
      if (fails.stop) throw failure;
    },
  });

test('plugins start before the first claim, one after the other, and stop after the last run, the last one first', async () => {
  const { worker: mill, happened } = worker((into) => [plugin('a', into), plugin('b', into)]);
  await mill.start();
  await settled();
  await mill.stop();
  expect(happened.filter((each) => each !== 'claim')).toEqual([
    'start a',
    'start b',
    'run',
    'stop b',
    'stop a',
  ]);
  expect(happened.indexOf('start b')).toBeLessThan(happened.indexOf('claim'));
});

test('each worker starts and stops the plugins by itself', async () => {
  const { rowlock, worker: mill, happened } = worker((into) => [plugin('a', into)]);
  await Promise.all([mill.start(), rowlock.worker().start()]);
  await rowlock.close();
  expect(happened.filter((each) => /start|stop/.test(each))).toEqual([
    'start a',
    'start a',
    'stop a',
    'stop a',
  ]);
});

test('a plugin whose start fails keeps the worker from starting, and those before it are stopped', async () => {
  let isBroken = true;
  const { worker: mill, happened } = worker((into) => [
    plugin('a', into),
    plugin('b', into),
    definePlugin({
      name: 'c',
      start() {
        if (isBroken) throw failure;
      },
      stop: () => void into.push('stop c'),
    }),
    plugin('d', into),
  ]);
  await expect(mill.start()).rejects.toMatchObject({
    name: 'PluginError',
    code: 'ROWLOCK_PLUGIN',
    plugin: 'c',
    message: 'The plugin "c": its start threw: It failed.',
    cause: failure,
  });
  expect(happened).toEqual(['start a', 'start b', 'stop b', 'stop a']);
  isBroken = false;
  happened.length = 0;
  await mill.start();
  await mill.stop();
  expect(happened.filter((each) => /st(art|op)/.test(each))).toEqual([
    ...['start a', 'start b', 'start d'],
    ...['stop d', 'stop c', 'stop b', 'stop a'],
  ]);
});

test('plugins are stopped when the worker cannot start for another reason', async () => {
  const { worker: mill, happened } = worker(
    (into) => [plugin('a', into)],
    ({ workers }) => ({
      workers: { ...workers, anchor: () => Promise.reject(failure) },
    }),
  );
  await expect(mill.start()).rejects.toBe(failure);
  expect(happened).toEqual(['start a', 'stop a']);
});

test('an error of a stop is logged, and the others are stopped', async () => {
  const {
    worker: mill,
    happened,
    logged,
  } = worker((into) => [plugin('a', into), plugin('b', into, { stop: true })]);
  await mill.start();
  await mill.stop();
  expect(happened.slice(-2)).toEqual(['stop b', 'stop a']);
  expect(logged).toContainEqual([
    'error: a plugin failed to stop',
    { err: failure, plugin: 'b', worker: 'mill' },
  ]);
});

test('a plugin has the worker, its events, a log and a signal, in a clean async context', async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const { worker: mill, logged } = worker(() => [
    definePlugin({
      name: 'a',
      start({ worker: { name, queues, concurrency, ...events }, log, signal }) {
        seen.push(name, queues, concurrency, events, storage.getStore());
        log.info({ more: 1 }, 'it starts');
        signal.addEventListener('abort', () => seen.push('abort', storage.getStore()), { once: true });
      },
      stop: ({ signal }) => void seen.push('stop', signal.aborted, storage.getStore()),
    }),
    definePlugin({
      name: 'c',
      start: ({ worker }) => void worker.on('start', () => void seen.push('started')),
    }),
  ]);
  await storage.run('starter', () => mill.start());
  await storage.run('stopper', () => mill.stop());
  expect(seen).toEqual([
    ...['mill', ['default'], 5, {}, undefined],
    'started',
    ...['abort', undefined, 'stop', true, undefined],
  ]);
  expect(logged).toContainEqual(['info: it starts', { plugin: 'a', worker: 'mill', more: 1 }]);
});

test('a worker that is stopped while it starts begins no start of a plugin, which would wait for its signal for ever', async () => {
  const { worker: mill, happened } = worker((into) => [
    definePlugin({
      name: 'slow',
      async start({ signal }) {
        into.push('start slow');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    }),
  ]);
  const started = mill.start();
  await mill.stop();
  await started;
  expect(happened).toEqual([]);
});

test('a plugin whose start ends by the stop of its worker is stopped, and no further one starts', async () => {
  const begun = gate();
  const { worker: mill, happened } = worker((into) => [
    plugin('a', into),
    definePlugin({
      name: 'slow',
      async start({ signal }) {
        begun.open();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      stop: () => void into.push('stop slow'),
    }),
    plugin('b', into),
  ]);
  const started = mill.start();
  await begun.opened;
  await mill.stop();
  await started;
  expect(happened).toEqual(['start a', 'stop slow', 'stop a']);
});

test('a start that goes on when the worker is to stop learns so by its signal', async () => {
  const begun = gate();
  const { worker: mill, happened } = worker((into) => [
    definePlugin({
      name: 'slow',
      async start({ signal }) {
        begun.open();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw signal.reason;
      },
    }),
    plugin('b', into),
  ]);
  const started = mill.start().catch(({ code }) => code);
  await begun.opened;
  await mill.stop();
  expect(await started).toBe('ROWLOCK_PLUGIN');
  expect(happened).toEqual([]);
});

test('a stop or a start of a plugin that never ends is left behind, 5 s after the time of the handlers', async () => {
  const clock = handClock();
  const [begun, ends] = [gate(), gate()];
  const never = new Promise<never>(() => {});
  const {
    worker: mill,
    happened,
    logged,
  } = worker(
    (into) => [
      plugin('a', into),
      definePlugin({
        name: 'stuck',
        stop() {
          ends.open();
          return never;
        },
      }),
      definePlugin({
        name: 'slow',
        start() {
          begun.open();
          return never;
        },
      }),
      plugin('b', into),
    ],
    () => ({}),
    { clock },
  );
  const started = mill.start();
  await begun.opened;
  clock.advance(10_000);
  const stopped = mill.stop({ drain: '20s' });
  clock.advance(1_000);
  const hurried = mill.stop({ drain: 0 });
  clock.advance(4_999);
  expect(happened).toEqual(['start a']);
  clock.advance(1);
  await ends.opened;
  clock.advance(5_000);
  await Promise.all([started, stopped, hurried]);
  expect(happened).toEqual(['start a', 'stop a']);
  expect(logged).toEqual([
    [
      'warn: the start of a plugin has not ended for 10 s; the worker waits for it',
      { plugin: 'slow', worker: 'mill' },
    ],
    [
      'error: the start of a plugin did not end although its signal was aborted; it is left behind',
      { plugin: 'slow', worker: 'mill' },
    ],
    [
      'error: the stop of a plugin did not end in time; it is left behind',
      { plugin: 'stuck', worker: 'mill' },
    ],
  ]);
});
