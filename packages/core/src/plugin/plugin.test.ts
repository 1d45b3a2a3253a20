import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineHandler, type Handler } from '../handler/handler.js';
import { definePlugin, type Plugin, type PluginDefinition, type PluginWorker } from './plugin.js';

const Greet = defineHandler({ kind: 'greet', payload: z.unknown(), run: () => {} });

/** Values from JavaScript are not typed. */
const untyped: (definition: unknown) => unknown = definePlugin as never;

test('a plugin may have a name alone', () => {
  expect(definePlugin({ name: 'nothing' })).toEqual({ name: 'nothing', handlers: [], middleware: {} });
});

test('a plugin may be an object of a class', () => {
  class Counting implements PluginDefinition {
    readonly name = 'counting';
    readonly #starts: string[] = [];
    start({ worker }: PluginWorker): number {
      return this.#starts.push(worker.name);
    }
  }
  const { start } = definePlugin(new Counting());
  const starting: PluginWorker = JSON.parse('{}', () => ({ worker: { name: 'mill' } }));
  expect([start?.(starting), start?.(starting)]).toEqual([1, 2]);
});

test('a plugin is of the database that its handlers are of, and otherwise of every database', () => {
  const OnUrls: Handler<z.ZodUnknown, URL> = defineHandler({
    kind: 'url',
    payload: z.unknown(),
    run: () => {},
  });
  expectTypeOf(definePlugin({ name: 'urls', handlers: [OnUrls] })).toEqualTypeOf<Plugin<URL>>();
  expectTypeOf(definePlugin({ name: 'any', handlers: [Greet] })).toExtend<Plugin<URL>>();
});

test('a middleware around runs passes on what next gives, and may return an outcome', () => {
  definePlugin<URL>({
    name: 'typed',
    middleware: {
      run: async (run, next) => {
        expectTypeOf(run.tx).toEqualTypeOf<URL>();
        const result = await next();
        // @ts-expect-error: nothing is known of it.
        result.output;
        return result;
      },
    },
  });
  definePlugin({ name: 'silent', middleware: { run: async (_, next) => void (await next()) } });
  // @ts-expect-error: a result that is neither that of the handler nor an outcome.
  definePlugin({ name: 'other', middleware: { run: async () => 7 } });
});

describe('a mistake is refused when the plugin is defined', () => {
  test.each([
    ['no object', 'audit', /A plugin is an object/],
    ['no name', {}, /The name of a plugin must be text/],
    ['a long name', { name: 'n'.repeat(129) }, /The name of a plugin must have 1 to 128/],
    [
      'a misspelt member',
      { name: 'a', middlewares: {} },
      /"a" has no "middlewares"\. There are name, handlers,/,
    ],
    [
      'a misspelt middleware',
      { name: 'a', middleware: { runs() {} } },
      /"a" has no "runs"\. There are enqueue, run\. Is run meant\?/,
    ],
    ['no list of handlers', { name: 'a', handlers: Greet }, /handlers of the plugin "a" must be a list/],
    ['a start that is none', { name: 'a', start: true }, /start of the plugin "a" must be a function/],
    [
      'a middleware that is none',
      { name: 'a', middleware: { run: {} } },
      /run of the plugin "a" must be a function/,
    ],
    ['no middleware', { name: 'a', middleware: null }, /middleware of the plugin "a" must be an object/],
  ])('%s', (_, mistake, message) => {
    expect(() => untyped(mistake)).toThrow(
      expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT', message: expect.stringMatching(message) }),
    );
  });
});
