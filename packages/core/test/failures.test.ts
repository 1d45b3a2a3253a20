import type { StandardSchemaV1 } from '@standard-schema/spec';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Job } from '../src/driver.js';
import {
  complete,
  createRowlock,
  defineHandler,
  fail,
  type HandlerResult,
  type Logger,
  type RunContext,
  retry,
  snooze,
} from '../src/index.js';
import { emptyDatabase, job, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';
import { receipt } from './receipt.js';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: object;
}

/** What a handler returned whose author has no types. */
function untyped(result: unknown): HandlerResult {
  return JSON.parse('{}', () => result);
}

/** What is told above `debug` and `info` of the one run of these jobs. */
async function told(
  jobs: readonly [Job, ...Job[]],
  run: (context: RunContext<unknown>) => HandlerResult,
  payload: StandardSchemaV1 = z.object({}),
): Promise<readonly Line[]> {
  const lines: Line[] = [];
  const line = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, message, fields });
  const log: Logger = { debug() {}, info() {}, warn: line('warn'), error: line('error') };
  const left = [jobs[0]];
  const { driver } = emptyDatabase({
    claim: () => left.shift(),
    survey: () => NOTHING,
    session: { lockSiblings: async () => jobs },
    startRuns: () => receipt({ earlier: [{ id: 3n, earlierRuns: 5, crashes: 5 }], unfinished: [] }),
  });
  const handler = defineHandler({ kind: 'work', payload, group: true, run });
  const worker = createRowlock({ driver, handlers: [handler], clock: handClock(), log }).worker();
  const settled = new Promise<void>((resolve) => worker.on('settled', () => resolve()));
  await worker.start();
  await settled;
  await worker.stop();
  return lines;
}

const facts = { queue: 'default', kind: 'work', key: 'a', runId: expect.any(String) };
const first = { ...job(1n, 'a') };
const last = { ...job(2n, 'a'), attempt: 4 };

test('a job that fails is told of once, whatever it failed by', async () => {
  const [refused, crashed] = [{ ...last, payload: 7 }, { ...job(3n, 'a') }];
  for (const [failing, run, expected] of [
    [
      first,
      () => fail('no such sheet'),
      { attempt: 1, error: { code: 'ROWLOCK_HANDLER', message: 'no such sheet' } },
    ],
    [last, () => retry('busy'), { attempt: 5, error: { code: 'ROWLOCK_HANDLER', message: 'busy' } }],
    [last, () => complete('x'.repeat(2_000_000)), { attempt: 5, error: { code: 'ROWLOCK_INVALID_INPUT' } }],
    [last, () => untyped(new Date(0)), { attempt: 5, error: { code: 'TypeError' } }],
    [refused, () => {}, { attempt: 5, error: { code: 'ROWLOCK_INVALID_PAYLOAD' } }],
    [crashed, () => {}, { attempt: 5, error: { code: 'ROWLOCK_CRASHED' } }],
  ] as const) {
    const { publicId } = failing;
    expect(await told([failing], run)).toMatchObject([
      { level: 'error', message: 'a job failed', fields: { ...facts, publicId, ...expected } },
    ]);
  }
});

test('what is thrown at the last attempt is told of once, with its stack', async () => {
  const thrown = new Error('out of order');
  const lines = await told([last], () => {
    throw thrown;
  });
  const error = { code: 'Error', message: 'out of order' };
  const fields = { ...facts, publicId: last.publicId, attempt: 5, maxAttempts: 5, error, err: thrown };
  expect(lines).toEqual([{ level: 'error', message: 'a job failed', fields }]);
});

test('a retry is a warning, whether it is returned or thrown', async () => {
  const attempt = { publicId: first.publicId, attempt: 1, maxAttempts: 5, nextAt: expect.any(Date) };
  expect(await told([first], () => retry('busy'))).toMatchObject([
    {
      level: 'warn',
      message: 'a job failed, and is tried again',
      fields: { ...facts, ...attempt, error: { message: 'busy' } },
    },
  ]);
  const thrown = new Error('busy');
  const lines = await told([first], () => {
    throw thrown;
  });
  expect(lines).toMatchObject([
    { level: 'warn', message: 'the handler failed', fields: { ...facts, ...attempt, err: thrown } },
  ]);
});

test('the time of the next attempt in the log is that of the settlement', async () => {
  const lines = await told([first], () => retry('busy', { delay: '1h' }));
  const { nextAt } = z.object({ nextAt: z.date() }).parse(lines[0]?.fields);
  expect(nextAt.getTime() - Date.now()).toBeGreaterThan(59 * 60_000);
  expect(nextAt.getTime() - Date.now()).toBeLessThanOrEqual(60 * 60_000);
});

test("the entries of a handler's log say whose they are", async () => {
  const lines = await told([first], ({ log }) => log.warn({ cells: 3 }, 'few'));
  const { publicId } = first;
  const fields = { ...facts, publicId, attempt: 1, cells: 3 };
  expect(lines).toEqual([{ level: 'warn', message: 'few', fields }]);
});

test('of a group each job that fails is told of, and the others together', async () => {
  const other = job(4n, 'a');
  const lines = await told([first, last, other], () => {
    throw new Error('busy');
  });
  expect(lines).toMatchObject([
    { level: 'warn', message: 'the handler failed' },
    { level: 'error', message: 'a job failed', fields: { publicId: last.publicId } },
  ]);
});

test('what a schema failed by is not taken for what the handler threw', async () => {
  const payload = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: async (value: unknown) => {
        if (value === 'ask') throw new Error('away');
        return { value };
      },
    },
  } as const;
  const [asking, asked] = [
    { ...first, payload: 'ask' },
    { ...last, payload: 'ask' },
  ];
  const run = (): never => {
    throw new Error('busy');
  };
  const error = { message: 'away' };
  const lines = await told([asking, asked, job(4n, 'a')], run, payload);
  expect(lines).toMatchObject([
    { level: 'warn', message: 'the handler failed' },
    { level: 'warn', message: 'a job failed, and is tried again', fields: { error } },
    { level: 'error', message: 'a job failed', fields: { publicId: last.publicId, error } },
  ]);
  expect(lines[2]?.fields).not.toHaveProperty('err');
});

test.each([
  ['completes', () => {}],
  ['snoozes', () => snooze('1h')],
])('a job that %s is no matter of warnings', async (_, run) => {
  expect(await told([first], run)).toEqual([]);
});

test.each([
  ['a proxy', () => new Proxy({}, { get: refuse, has: refuse, getPrototypeOf: refuse })],
  ['a proxy of an error', () => new Proxy(new Error('odd'), { get: refuse })],
  ['a proxy that is revoked', revoked],
  ['an error whose name throws', () => Object.defineProperty(new Error('odd'), 'name', { get: refuse })],
  ['an error whose cause throws', () => Object.defineProperty(new Error('odd'), 'cause', { get: refuse })],
  ['an error with such a cause', () => new Error('odd', { cause: revoked() })],
])('what is thrown and cannot be read fails the attempt, and takes no claim: %s', async (_, odd) => {
  const lines = await told([first], () => {
    throw odd();
  });
  expect(lines).toMatchObject([
    { level: 'warn', message: 'the handler failed', fields: { ...facts, attempt: 1 } },
  ]);
});

function refuse(): never {
  throw new Error('This cannot be read.');
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
