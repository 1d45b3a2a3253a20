import { expect, onTestFinished, test } from 'vitest';
import { type Logger, unfailing } from './logger.js';

/** Shows the messages of errors, as loggers do. */
function readingLogger(lines: unknown[]): Logger {
  const line = (fields: object, message: string): void => {
    lines.push([message, 'err' in fields ? Object(fields.err).message : fields]);
  };
  return { debug: line, info: line, warn: line, error: line };
}

test('what a logger is told it is told as it is', () => {
  const lines: unknown[] = [];
  const log = unfailing(readingLogger(lines));
  for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({ level }, 'said');
  expect(lines).toEqual(['debug', 'info', 'warn', 'error'].map((level) => ['said', { level }]));
});

test.each<[string, unknown]>([
  ['null', null],
  ['a text', 'warn'],
  ['one without a level', { debug() {}, info() {}, error() {} }],
])('a logger that is %s is refused', (_, given) => {
  const wrong: Logger = Object(given);
  expect(() => unfailing(wrong)).toThrow(/^log must have the function (debug|warn)/);
});

test('an error that a logger cannot read is told as it is kept in a row', () => {
  const lines: unknown[] = [];
  const error = Object.defineProperty(new Error(), 'message', {
    get() {
      throw new Error('out of reach');
    },
  });
  unfailing(readingLogger(lines)).warn({ err: error }, 'the handler failed');
  expect(lines).toEqual([['the handler failed', 'An error that cannot be shown.']]);
});

test('so is one beside the error of a row, which is told as it is', () => {
  const told: object[] = [];
  const write = (fields: object): void => void told.push(Object(JSON.parse(JSON.stringify(fields))));
  const log = unfailing({ debug: write, info: write, warn: write, error: write });
  const error = { code: 'Error', message: 'busy' };
  log.error({ error, err: { toJSON: () => JSON.parse('no JSON') } }, 'a job failed');
  expect(told).toEqual([
    { error, err: { code: 'ROWLOCK_HANDLER', message: 'An error that cannot be shown.' } },
  ]);
});

test('a logger that throws stops nobody', () => {
  const refuse = (): never => {
    throw new Error('full');
  };
  const log = unfailing({ debug: refuse, info: refuse, warn: refuse, error: refuse });
  log.error({}, 'said');
  log.error({ err: new Error('x') }, 'said');
});

test('a logger that rejects ends no process, and gets again what it could not read', async () => {
  const lines: unknown[] = [];
  const later = async (fields: object, message: string): Promise<void> => {
    await Promise.resolve();
    if (message === 'refused' || Object(fields).err instanceof Error) throw new Error('full');
    lines.push([message, Object(fields).err?.message]);
  };
  const log = unfailing({ debug: later, info: later, warn: later, error: later });
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  log.error({ err: new Error('x') }, 'said');
  log.warn({}, 'refused');
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(lines).toEqual([['said', 'x']]);
  expect(unhandled).toEqual([]);
});
