import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Driver, Json } from '@rowlock/core';
import { newJob } from '@rowlock/driver-conformance/internal';
import { freshMysqlDatabase } from '@rowlock/servers';
import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toDriverError } from '../src/errors.js';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { serverUrl } from './server.js';

let client: Connection;
let driver: Driver<MysqlTransaction>;
let drop: () => Promise<void>;

beforeAll(async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  drop = fresh.drop;
  client = await createConnection(fresh.url);
  driver = mysql({ uri: fresh.url });
  await driver.schema.migrate();
});

afterAll(async () => {
  await driver.close();
  await client.end();
  await drop();
});

/** What a job may have as payload at most: 100 levels and 1 MB. Of each kind as much as fits. */
const LARGE: Readonly<Record<string, Json>> = {
  '100 lists': deep<Json>(100, (inner) => [inner], []),
  '100 objects': deep<Json>(100, (inner) => ({ name: inner }), {}),
  '100 objects of several members': deep<Json>(100, (inner) => ({ a: 1, '"\n\\': inner, z: [] }), { '': '' }),
  '100 lists, 1 MB of text within': deep<Json>(100, (inner) => [inner], 'x'.repeat(1_000_000)),
  '100 lists, 1 MB of escapes within': deep<Json>(100, (inner) => [1, inner], '"\\\n\u0001'.repeat(80_000)),
  '100 lists, 1 MB of many scripts within': deep<Json>(100, (inner) => [inner, 1], '🚣é鍵'.repeat(110_000)),
  '100 lists, 100,000 numbers within': deep<Json>(99, (inner) => [inner], numbers(100_000)),
  '100 lists, 300,000 empty lists within': deep<Json>(99, (inner) => [inner], repeated(300_000, [])),
  '20,000 objects': repeated(20_000, { id: 1, name: 'a', more: [1.5e-7, null, true] }),
  '5,000 times 99 lists': repeated(
    5_000,
    deep<Json>(99, (inner) => [inner], 1),
  ),
};

describe('JSON that is as large as it may be', () => {
  for (const [what, value] of Object.entries(LARGE)) {
    test(`${what}: is enqueued, claimed, settled and listed`, async () => {
      expect(JSON.stringify(value).length).toBeLessThanOrEqual(1024 * 1024);
      const [enqueued] = await driver.jobs.enqueue([newJob({ payload: value })]);
      const held = driver.claims.session({ idleLimitMs: 60_000 });
      const [job] = await held.claim({
        queue: 'q',
        kinds: ['k'],
        line: { priority: -32_768, id: 0n },
        busy: [],
        limit: 1,
      });
      expect(job?.publicId).toBe(enqueued?.publicId);
      expect(isDeepStrictEqual(job?.payload, value)).toBe(true);
      const ending = { event: 'complete', attempt: 1, crashes: 0, delayMs: 0, tookMs: 0 } as const;
      const run = { id: job?.id ?? 0n, runId: randomUUID() };
      await held.settle([{ ...ending, ...run, output: value, error: null, by: 'test' }]);
      await held.commit();
      const { jobs } = await driver.jobs.list(
        { publicIds: [job?.publicId ?? ''] },
        { limit: 1, before: null },
      );
      expect(isDeepStrictEqual(jobs[0]?.output, value)).toBe(true);
    });
  }
});

/** Nothing of this is JSON. Some of it MariaDB's own JSON_VALID takes. */
const BROKEN: readonly string[] = [
  ...[
    '',
    ' ',
    '[',
    ']',
    '{',
    '[]]',
    '[] []',
    '1 2',
    'x[1]',
    '[1]x',
    ':',
    ',',
    '[1,]',
    '[,1]',
    '[,]',
    '[1 2]',
    '["a":1]',
  ],
  ...[
    '{"a":1,}',
    '{,}',
    '{a:1}',
    "{'a':1}",
    '{"a" 1}',
    '{"a":}',
    '{"a"::1}',
    '{1:2}',
    '{"a","b"}',
    '{"a":1 "b":2}',
  ],
  ...[
    '1.',
    '.5',
    '-',
    '+1',
    '--1',
    '01',
    '-01',
    '1e',
    '1e+',
    '1.5.5',
    '0x1',
    '[1.]',
    '[-]',
    '[1e]',
    '1-1',
    'NaN',
  ],
  ...[
    'nul',
    'nulll',
    'True',
    'undefined',
    '[nullnull]',
    "''",
    '\ufeff1',
    '\v1',
    '\f1',
    '\u00a01',
    '/**/1',
    '🚣',
  ],
  ...[
    '"',
    '"\\"',
    '"a\\',
    '"\\x"',
    '"\\\'"',
    '"\\u"',
    '"\\u12"',
    '"\\u12g4"',
    '"\\U0041"',
    '"\t"',
    '"\n"',
    '"\u0001"',
  ],
  ...['"\\ud800"', '"\\udc00\\ud800"', '{"\n":1}', '{"\\x":1}', '1\nx', '\n1\nx\n'],
  '['.repeat(100_000),
  '[[],'.repeat(100_000),
  '{"a":'.repeat(100_000),
  deep(101, (inner) => `[${inner}]`, 'x'),
  deep(1_000, (inner) => `[${inner}]`, ''),
  deep(1_000, (inner) => `{"a":${inner}}`, '1'),
  `${JSON.stringify(numbers(100_000))}x`,
  JSON.stringify('x'.repeat(1_000_000)).slice(0, -1),
  JSON.stringify('\n'.repeat(100_000)).slice(0, -1),
];

test('what is not JSON, and what is nested too deeply, is refused when it is written by hand', async () => {
  for (const text of BROKEN) {
    const written = client
      .execute("INSERT INTO rowlock_job (kind, payload) VALUES ('k', ?)", [text])
      .catch((error: unknown) => {
        throw toDriverError(error);
      });
    await expect(written, text.slice(0, 100)).rejects.toMatchObject({ code: 'InvalidInput' });
  }
});

test('JSON is taken with gaps and escapes of every kind', async () => {
  const text =
    ' {\t"\\u0061\\"\\\\\\/\\b\\f\\n\\r\\t\\uD83D\\uDEA3" :\n[ -1 , 1.50E+3,\r0e-0 ,"\u007f\u2028🚣" , { } , [ ] ] } ';
  await client.execute("INSERT INTO rowlock_job (kind, payload) VALUES ('gaps', ?)", [text]);
  const { jobs } = await driver.jobs.list({ kind: 'gaps' }, { limit: 1, before: null });
  expect(jobs[0]?.payload).toEqual(JSON.parse(text));
});

function deep<Value>(levels: number, around: (inner: Value) => Value, inner: Value): Value {
  let value = inner;
  for (let level = 1; level < levels; level++) value = around(value);
  return value;
}

function numbers(count: number): Json[] {
  return Array.from({ length: count }, (_, place) => place);
}

function repeated(count: number, value: Json): Json[] {
  return Array.from({ length: count }, () => value);
}
