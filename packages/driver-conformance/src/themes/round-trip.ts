import { randomUUID } from 'node:crypto';
import type { Json } from '@rowlock/core';
import { expect } from 'vitest';
import { LOOKALIKES, ODD_NAMES } from '../names.js';
import { putOnRecord } from '../put-on-record.js';
import { settlement } from '../stage.js';
import { theme } from '../theme.js';

/** Brackets within brackets: as deep as every database's JSON goes, the innermost value counted. */
const DEEP = 100;
const DEEPEST = `${DEEP} levels`;

function nested(levels: number): Json {
  let json: Json = 'bottom';
  for (let level = 1; level < levels; level++) json = level % 2 === 0 ? [json] : { down: json };
  return json;
}

const VALUES: readonly (readonly [what: string, value: Json])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['zero', 0],
  ['an empty text', ''],
  ['a text', 'row'],
  ['a text that looks like JSON', '{"a": 1}'],
  ['a text that looks like a number', '0123'],
  ['an empty object', {}],
  ['an empty list', []],
  ['empty things within each other', { a: [], b: {}, c: [[], {}], d: null, e: '' }],
  ['emoji and their joints', '👩‍👩‍👧‍👦 🚣🏽 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
  ['scripts of the world', 'Привет שלום 你好 नमस्ते \u202eright to left\u202c ﷽'],
  ['two normal forms', ['caf\u00e9', 'cafe\u0301']],
  ['quotes, slashes and control characters', '"\'`\\/\b\f\n\r\t\u0001\u001f\u007f\u2028\u2029\ufeff\uffff'],
  ['what looks like a parameter or an escape', "$1 ? ?? :name %s \\u0041 \\n E'' \\x00"],
  ['names in many scripts', { ключ: 1, 鍵: 2, '🔑': 3, '': 4, ' ': 5, 'a.b[0]': 6, $: 7, '\n': 8 }],
  ['the largest safe whole numbers', [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]],
  ['whole numbers at and beyond 2^53', [2 ** 53, -(2 ** 53), 2 ** 53 + 2, 2 ** 63, 2 ** 64, 1e21]],
  ['large whole numbers as text', ['9007199254740993', '18446744073709551616', '-170141183460469231731687']],
  ['the largest doubles', [Number.MAX_VALUE, -Number.MAX_VALUE, 1e300]],
  ['the smallest doubles', [Number.MIN_VALUE, -Number.MIN_VALUE, 2.2250738585072014e-308, 1e-300]],
  ['fractions', [0.1, 0.1 + 0.2, 1 / 3, -1.5, Number.EPSILON, 123456789.12345679]],
  [
    'instants as text',
    ['2024-02-29T23:59:59.999Z', '0001-01-01T00:00:00.000Z', '+010000-01-01T00:00:00.000Z'],
  ],
  [DEEPEST, nested(DEEP)],
  ['1 MB of text', 'Ω'.repeat(512 * 1024)],
  ['10,000 entries', Array.from({ length: 10_000 }, (_, place) => ({ place }))],
  ['names that are members of every object', { constructor: 1, toString: 2, hasOwnProperty: 3 }],
];

/** No database stores these as text. */
const UNSTORABLE: readonly (readonly [what: string, text: string])[] = [
  ['a NUL', 'a\0b'],
  ['the first half of a surrogate pair', 'a\ud83d'],
  ['the second half of a surrogate pair', '\ude00b'],
  ['two halves in the wrong order', '\ude00\ud83d'],
];

export const roundTrip = theme('round trip', (test) => {
  for (const [what, value] of VALUES) {
    test(`payload, output and progress keep ${what}`, async ({
      put,
      row,
      hold,
      view,
      driver,
      anchor,
      reader,
    }) => {
      const written = await put({ payload: value });
      expect(written.payload).toEqual(value);
      expect((await view(written)).payload).toEqual(value);

      const { workerId } = await anchor();
      const { held, job } = await hold();
      expect(job.payload).toEqual(value);

      const runId = randomUUID();
      await putOnRecord(driver, [{ runId, workerId, jobs: [job] }]);
      await driver.claims.noteRun({ runId, jobs: [job.id] }, value);
      expect((await reader.runs(job.publicId)).map(({ progress }) => progress)).toEqual([value]);
      expect((await view(job)).progress).toEqual(value);

      await held.settle([settlement(job, { runId, output: value })]);
      await held.commit();
      expect((await row(job)).output).toEqual(value);
      expect((await view(job)).output).toEqual(value);
    });
  }

  test('metadata and the details of an error keep every value', async ({ put, row, hold, view }) => {
    const small = VALUES.filter(([what, value]) => what !== DEEPEST && JSON.stringify(value).length < 10_000);
    // The two objects around it, the metadata and the error, are levels too.
    const metadata = { ...Object.fromEntries(small), [DEEPEST]: nested(DEEP - 2) };
    const written = await put({ metadata });
    expect(written.metadata).toEqual(metadata);

    const { held, job } = await hold();
    expect(job.metadata).toEqual(metadata);
    const error = { code: 'CODE 🚣', message: `it's "broken"\n${'x'.repeat(5_000)}`, details: metadata };
    await held.settle([settlement(job, { event: 'fail', error })]);
    await held.commit();
    expect((await row(job)).error).toEqual(error);
    expect((await view(job)).error).toEqual(error);
    expect((await view(job)).metadata).toEqual(metadata);
  });

  test('a member named __proto__ is a member like any other', async ({ put, row, hold, view }) => {
    const payload: Json = JSON.parse('{"__proto__": {"polluted": true}, "inner": {"__proto__": 1}}');
    const written = await put({ payload });
    const { held, job } = await hold();
    await held.settle([settlement(job, { output: payload })]);
    await held.commit();
    const seen = [
      job.payload,
      (await view(written)).payload,
      (await view(written)).output,
      (await row(written)).output,
    ];
    for (const json of seen) {
      expect(JSON.stringify(json)).toContain('"__proto__":{"polluted":true}');
      expect(Object.hasOwn(Object(json), '__proto__')).toBe(true);
      expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
      expect(Reflect.get(Object(json), 'polluted')).toBeUndefined();
    }
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  for (const name of ODD_NAMES) {
    test(`queue, kind, key and unique key may be ${JSON.stringify(name)}`, async ({
      queue,
      put,
      hold,
      view,
    }) => {
      const change = { queue: `${queue}${name}`, kind: name, key: name } as const;
      const unique = { key: `${queue}${name}`, scope: 'outstanding' } as const;
      const job = await put({ ...change, unique, createdBy: name });
      expect(job).toMatchObject({ ...change, uniqueKey: unique.key, createdBy: name });
      const { job: claimed } = await hold({ queue: change.queue, kinds: [name] });
      expect(claimed).toMatchObject({ id: job.id, ...change });
      expect(await view(job)).toMatchObject({ ...change, uniqueKey: unique.key });
    });
  }

  for (const [what, one, other] of LOOKALIKES) {
    test(`queues, kinds and keys that differ by ${what} are different`, async ({
      queue,
      put,
      claimSession,
      claim,
      take,
      driver,
    }) => {
      const names = (text: string) => ({ queue: `${queue}${text}`, kind: text, key: text });
      const job = await put(names(one));
      const stranger = names(other);
      const held = claimSession();
      expect(await claim(held, { queue: stranger.queue, kinds: [one] })).toBeUndefined();
      expect(await claim(held, { queue: `${queue}${one}`, kinds: [other] })).toBeUndefined();
      const claimed = await take(held, { queue: `${queue}${one}`, kinds: [one], busy: [other] });
      expect(claimed.id).toBe(job.id);
      expect(await held.lockSiblings({ queue: `${queue}${one}`, keys: [other] }, 10)).toEqual([]);
      expect(await held.lockSiblings({ queue: stranger.queue, keys: [other] }, 10)).toEqual([]);
      const before = job.id + 1n;
      const question = { key: other, kinds: [one], before, except: [] };
      expect(await held.firstOutstanding({ ...question, key: `${other}${queue}` })).toBeUndefined();
      for (const filter of [{ queue: stranger.queue }, { queue: `${queue}${one}`, key: other }]) {
        expect((await driver.jobs.list(filter, { limit: 10, before: null })).jobs).toEqual([]);
      }
    });
  }

  for (const at of ['1970-01-01T00:00:00.001Z', '2038-01-19T03:14:08.007Z', '9999-12-31T23:59:59.999Z']) {
    test(`the instant ${at} is kept to the millisecond`, async ({ put, view }) => {
      const job = await put({ available: { at: new Date(at) } });
      expect(job.availableAt.toISOString()).toBe(at);
      expect((await view(job)).availableAt.toISOString()).toBe(at);
    });
  }

  test('an instant within the hour that a summer time leaves out is kept', async ({ put, view }) => {
    for (const at of ['2025-03-30T01:30:00.000Z', '2025-10-26T00:30:00.000Z', '2025-10-26T01:30:00.000Z']) {
      const job = await put({ available: { at: new Date(at) } });
      expect(job.availableAt.toISOString()).toBe(at);
      expect((await view(job)).availableAt.toISOString()).toBe(at);
    }
  });

  for (const [what, text] of UNSTORABLE) {
    test(`a payload, name or key with ${what} is refused as InvalidInput`, async ({
      driver,
      reader,
      queue,
      newJob,
      put,
    }) => {
      for (const job of [
        newJob({ payload: text }),
        newJob({ payload: [{ deep: { text } }] }),
        newJob({ payload: { [text]: 1 } }),
        newJob({ metadata: { text } }),
        newJob({ key: text }),
        newJob({ kind: text }),
        newJob({ unique: { key: text, scope: 'ever' } }),
      ]) {
        await expect(driver.jobs.enqueue([job])).rejects.toMatchObject({ code: 'InvalidInput' });
      }
      expect(await reader.jobs(queue)).toEqual([]);
      await put();
    });

    test(`an output or error with ${what} is refused as InvalidInput, and undo keeps the claim`, async ({
      put,
      row,
      claimSession,
      hold,
      claim,
    }) => {
      await put();
      const { held, job } = await hold();
      for (const change of [
        { output: text },
        { output: { [text]: 1 } },
        { event: 'fail', error: { code: 'X', message: text } },
      ] as const) {
        await expect(held.settle([settlement(job, change)])).rejects.toMatchObject({
          code: 'InvalidInput',
        });
        await held.undo();
      }
      expect(await claim(claimSession())).toBeUndefined();
      expect(await held.settle([settlement(job, { output: 'plain' })])).toEqual([job.id]);
      await held.commit();
      expect(await row(job)).toMatchObject({ status: 'complete', output: 'plain' });
    });

    test(`progress with ${what} is refused as InvalidInput`, async ({
      driver,
      put,
      hold,
      anchor,
      reader,
    }) => {
      await put();
      const { workerId } = await anchor();
      const { job } = await hold();
      const runId = randomUUID();
      await putOnRecord(driver, [{ runId, workerId, jobs: [job] }]);
      await expect(driver.claims.noteRun({ runId, jobs: [job.id] }, [text])).rejects.toMatchObject({
        code: 'InvalidInput',
      });
      await driver.claims.noteRun({ runId, jobs: [job.id] }, 'plain');
      expect(await reader.runs(job.publicId)).toMatchObject([{ progress: 'plain' }]);
    });
  }
});
