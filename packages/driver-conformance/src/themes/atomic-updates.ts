import {
  append,
  type DefineHandler,
  defineHandler,
  increment,
  isDriverError,
  type Json,
  merge,
  type Operation,
  remove,
  retry,
  set,
} from '@rowlock/core';
import type { JsonObject, RefusalReason } from '@rowlock/core/types';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { type Stage, settlement } from '../stage.js';
import { theme } from '../theme.js';
import { gate, until, within } from '../until.js';
import { AnyJson, clientOf, SOON, startWorker } from '../worker-process.js';

type Case = readonly [before: JsonObject, operations: readonly Operation[], after: JsonObject];

const RESULTS: Readonly<Record<string, readonly Case[]>> = {
  'increments add to a number, and a missing one counts as 0': [
    [{ n: 1 }, [increment('n')], { n: 2 }],
    [{ n: 1 }, [increment('n', -3)], { n: -2 }],
    [{}, [increment('n', 5)], { n: 5 }],
    [{ n: null }, [increment('n', 5)], { n: 5 }],
    [{}, [increment('n'), increment('n'), increment('m', 2)], { n: 2, m: 2 }],
  ],
  'sums are exact': [
    [{ n: 0.1 }, [increment('n', 0.2)], { n: 0.3 }],
    [{ n: 0.3 }, [increment('n', -0.3)], { n: 0 }],
    [{ n: 0.999_999 }, [increment('n', 0.000_001)], { n: 1 }],
    [{ n: 999_999_999 }, [increment('n', 0.999_999)], { n: 999_999_999.999_999 }],
    [{ n: 2 ** 53 - 2 }, [increment('n')], { n: 2 ** 53 - 1 }],
    [{ n: 2 ** 53 - 1 }, [increment('n', -(2 ** 53 - 1))], { n: 0 }],
    [{}, Array.from({ length: 10 }, () => increment('n', 0.1)), { n: 1 }],
  ],
  'appends add to the end of an array, and a missing one counts as empty': [
    [{ a: [1] }, [append('a', [2, [3], { b: null }])], { a: [1, 2, [3], { b: null }] }],
    [{}, [append('a', ['x'])], { a: ['x'] }],
    [{ a: null }, [append('a', [])], { a: [] }],
    [{ a: [[1]] }, [append(['a', 0], [2])], { a: [[1, 2]] }],
  ],
  'a merge is a JSON Merge Patch': [
    [
      { a: { b: 1, c: { d: 2 } }, e: 5 },
      [merge([], { a: { c: { f: 3 } } })],
      { a: { b: 1, c: { d: 2, f: 3 } }, e: 5 },
    ],
    [{ a: { b: 1, c: 2 } }, [merge('a', { b: null, z: null })], { a: { c: 2 } }],
    [{ a: [1, 2] }, [merge('a', { b: 1 })], { a: { b: 1 } }],
    [{ a: 'text' }, [merge([], { a: { b: { c: null, d: [null] } } })], { a: { b: { d: [null] } } }],
    [{}, [merge('a.b', { c: 1 })], { a: { b: { c: 1 } } }],
    [{ a: 1 }, [merge([], {})], { a: 1 }],
    [{ a: { b: 1 } }, [merge([], { a: [{ b: null }] })], { a: [{ b: null }] }],
  ],
  'a set takes the place of any value': [
    [{ a: { b: 1 } }, [set('a', 5)], { a: 5 }],
    [{}, [set('a', null)], { a: null }],
    [{ a: [1, 2] }, [set(['a', 1], { b: [] })], { a: [1, { b: [] }] }],
    [{ a: 1 }, [set([], { b: 2 })], { b: 2 }],
    [
      {},
      [set('a', 1e21), set('b', 1e-7), set('c', true), set('d', '"')],
      { a: 1e21, b: 1e-7, c: true, d: '"' },
    ],
  ],
  'a removal takes out a member or an item, and what is missing stays missing': [
    [{ a: 1, b: 2 }, [remove('a')], { b: 2 }],
    [{ a: [1, 2, 3] }, [remove(['a', 1])], { a: [1, 3] }],
    [{ a: [1] }, [remove(['a', 1]), remove('b'), remove('b.c'), remove(['b', 0])], { a: [1] }],
    [{ a: null }, [remove('a.b'), remove(['a', 0])], { a: null }],
    [{ a: { b: 1 } }, [remove('a.b')], { a: {} }],
  ],
  'objects that lead to a value are created': [
    [{}, [increment('a.b.c')], { a: { b: { c: 1 } } }],
    [{ a: null }, [set('a.b', 1)], { a: { b: 1 } }],
    [{ a: [null] }, [set(['a', 0, 'b'], 1)], { a: [{ b: 1 }] }],
  ],
  'a name in a path is nothing but a name': [
    ...[
      '',
      ' ',
      '.',
      'a.b',
      '0',
      '-0x',
      '"',
      "'",
      '`',
      '\\n',
      '$',
      '$.a',
      '*',
      '[0]',
      '{a}',
      ',',
      '?',
      ':a',
      '\n',
      '\u0007',
    ].map(named),
    ...['__proto__', 'constructor', 'toString', 'null', 'é', 'ｅ́', '😀', '\u2028', 'a'.repeat(300)].map(
      named,
    ),
  ],
  'operations follow each other': [
    [
      { log: ['a'] },
      [
        set('log', []),
        append('log', ['b']),
        increment('n'),
        merge([], { n: null }),
        increment('n', 7),
        remove(['log', 0]),
      ],
      { log: [], n: 7 },
    ],
  ],
};

/** MariaDB does not read names that begin with a hyphen, so none here does. */
function named(name: string): Case {
  const path = name === '-0x' ? ['x-0'] : [name];
  const [key = ''] = path;
  const before = JSON.parse(`{${JSON.stringify(key)}: {"n": 1}, "other": 1}`);
  const after = JSON.parse(`{${JSON.stringify(key)}: {"n": 2, "list": [0]}, "other": 1}`);
  return [before, [increment([key, 'n']), append([key, 'list'], [0])], after];
}

const REFUSALS: readonly (readonly [JsonObject, Operation, RefusalReason])[] = [
  [{ a: 1 }, set('a.b', 1), 'not-an-object'],
  [{ a: [] }, increment('a.b'), 'not-an-object'],
  [{ a: 'text' }, remove('a.b'), 'not-an-object'],
  [{ a: {} }, set(['a', 0], 1), 'not-an-array'],
  [{ a: 1 }, append('a', [1]), 'not-an-array'],
  [{ a: {} }, append('a', [1]), 'not-an-array'],
  [{ a: { 0: 1 } }, remove(['a', 0]), 'not-an-array'],
  [{ a: [1] }, set(['a', 1], 1), 'no-item'],
  [{}, set(['a', 0], 1), 'no-item'],
  [{ a: '1' }, increment('a'), 'not-a-number'],
  [{ a: true }, increment('a'), 'not-a-number'],
  [{ a: 2 ** 53 - 1 }, increment('a'), 'inexact'],
  [{ a: 2 ** 53 }, increment('a', -1), 'inexact'],
  [{ a: 1e300 }, increment('a'), 'inexact'],
  [{ a: 0.000_000_1 }, increment('a'), 'inexact'],
  [{ a: 999_999_999.5 }, increment('a', 0.5), 'inexact'],
  [{ a: 2 ** 40 }, increment('a', 0.5), 'inexact'],
];

/** What a read and a whole write lose when another writer comes between, and the operation that loses nothing. */
const WAYS: readonly {
  readonly what: string;
  readonly before: JsonObject;
  readonly bad: (found: JsonObject, writer: string) => JsonObject;
  readonly good: (writer: string) => readonly Operation[];
  readonly lost: JsonObject;
  readonly kept: JsonObject;
}[] = [
  {
    what: 'an increment of a number',
    before: { runs: 3 },
    bad: ({ runs }) => ({ runs: Number(runs) + 1 }),
    good: () => [increment('runs')],
    lost: { runs: 4 },
    kept: { runs: 5 },
  },
  {
    what: 'an item at the end of an array',
    before: { history: ['new'] },
    bad: ({ history }, writer) => ({ history: [...listOf(history), writer] }),
    good: (writer) => [append('history', [writer])],
    lost: { history: ['new', 'second'] },
    kept: { history: ['new', 'first', 'second'] },
  },
  {
    what: 'a member of an object that is written whole',
    before: { first: 0, second: 0 },
    bad: (found, writer) => ({ ...found, [writer]: 1 }),
    good: (writer) => [merge([], { [writer]: 1 })],
    lost: { first: 0, second: 1 },
    kept: { first: 1, second: 1 },
  },
  {
    what: 'a member of an inner object',
    before: { address: { city: 'Kyiv' } },
    bad: ({ address }, writer) => ({ address: { ...Object(address), [writer]: 1 } }),
    good: (writer) => [merge([], { address: { [writer]: 1 } })],
    lost: { address: { city: 'Kyiv', second: 1 } },
    kept: { address: { city: 'Kyiv', first: 1, second: 1 } },
  },
];

function listOf(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? json : [];
}

export const atomicUpdates = theme('atomic updates', (test) => {
  for (const [name, cases] of Object.entries(RESULTS)) {
    test.once(name, async (stage) => {
      const client = clientOf(stage, []);
      for (const [before, operations, after] of cases) {
        const job = await stage.put({ metadata: before, payload: before });
        expect(await client.jobs.updateMetadata(job.publicId, operations)).toBe('updated');
        expect(await client.jobs.updatePayload(job.publicId, operations)).toBe('updated');
        const row = await stage.row(job);
        expect(row, JSON.stringify(operations)).toEqual({ ...job, metadata: after, payload: after });
      }
    });
  }

  test.once(
    'an operation that does not fit is refused with its place and the reason, and nothing is written',
    async (stage) => {
      const client = clientOf(stage, []);
      for (const [metadata, operation, reason] of REFUSALS) {
        const job = await stage.put({ metadata });
        const updating = client.jobs.updateMetadata(job.publicId, [
          set('written', 1),
          operation,
          set('written', 2),
        ]);
        await expect(updating, JSON.stringify(operation)).rejects.toMatchObject({
          code: 'ROWLOCK_UPDATE_REFUSED',
          operation: 1,
          reason,
        });
        expect(await stage.row(job)).toEqual(job);
      }
    },
  );

  test.once('a job whose update was refused can be claimed', async (stage) => {
    const client = clientOf(stage, []);
    const job = await stage.put({ metadata: { text: 'one' } });
    for (let times = 0; times < 10; times++) {
      await expect(client.jobs.updateMetadata(job.publicId, [increment('text')])).rejects.toMatchObject({
        reason: 'not-a-number',
      });
      const held = stage.claimSession();
      // Postgres answers with an error before it frees the transaction's locks.
      expect(await until('it is free', () => stage.claim(held))).toMatchObject({ id: job.id });
      await held.rollback();
    }
  });

  test.once('metadata of more than 64 KiB and a payload of more than 1 MiB are refused', async (stage) => {
    const client = clientOf(stage, []);
    const job = await stage.put({ metadata: { text: 'x'.repeat(60_000) } });
    const tooLarge = { code: 'ROWLOCK_UPDATE_REFUSED', reason: 'too-large' };
    const more = [append('more', ['x'.repeat(8_000)])];
    await expect(client.jobs.updateMetadata(job.publicId, more)).rejects.toMatchObject(tooLarge);
    expect(await client.jobs.updateMetadata(job.publicId, [set('text', 'x'.repeat(65_000))])).toBe('updated');
    expect(await client.jobs.updatePayload(job.publicId, [set([], ['x'.repeat(1_000_000)])])).toBe('updated');
    const longer = [append([], ['x'.repeat(60_000)])];
    await expect(client.jobs.updatePayload(job.publicId, longer)).rejects.toMatchObject(tooLarge);
    expect((await stage.row(job)).metadata).toEqual({ text: 'x'.repeat(65_000) });
  });

  for (const { what, before, bad, good, lost, kept } of WAYS) {
    test.once(`two writers lose ${what} by a read and a whole write, and not by an update`, async (stage) => {
      const { reader, put, row } = stage;
      const read = async (job: { publicId: string }) => Object(await row(job)).metadata;
      const job = await put({ metadata: before });
      const [first, second] = [await read(job), await read(job)];
      await reader.write(job.publicId, { metadata: bad(first, 'first') });
      await reader.write(job.publicId, { metadata: bad(second, 'second') });
      expect(await read(job)).toEqual(lost);

      const again = await put({ metadata: before });
      const application = await stage.caller();
      const client = clientOf(stage, []);
      expect(await client.jobs.updateMetadata(again.publicId, good('first'), { tx: application.tx })).toBe(
        'updated',
      );
      const waiting = client.jobs.updateMetadata(again.publicId, good('second'));
      expect(await read(again)).toEqual(before);
      await application.commit();
      expect(await waiting).toBe('updated');
      expect(await read(again)).toEqual(kept);
    });
  }

  const ifLocked = (error: unknown): void => {
    if (!isDriverError(error, 'LockTimeout')) throw error;
  };

  test('many writers at once lose nothing', async (stage) => {
    const [writers, each] = [20, 10];
    const job = await stage.put();
    const others = await Promise.all([stage.process(), stage.process()]);
    const clients = [stage.driver, ...others.map(({ driver }) => driver)].map((driver) =>
      clientOf({ ...stage, driver }, []),
    );
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        const client = clients[writer % clients.length];
        for (let turn = 0; turn < each; turn++) {
          const operations = [
            increment('count'),
            append('log', [`${writer} ${turn}`]),
            merge('by', { [`writer ${writer}`]: { turns: turn + 1 } }),
          ];
          // An update waits for the others for some seconds at most, and a machine may stall for longer.
          await until('the update is written', async () => {
            const written = client?.jobs.updateMetadata(job.publicId, operations);
            return (await written?.catch(ifLocked)) === 'updated';
          });
        }
      }),
    );
    const { count, log, by } = Object((await stage.row(job)).metadata);
    expect(count).toBe(writers * each);
    expect(new Set(log).size).toBe(writers * each);
    expect(Object.values(by)).toEqual(Array.from({ length: writers }, () => ({ turns: each })));
  });

  test.once(
    "an update in a caller's transaction is there after its commit, and not after a rollback",
    async (stage) => {
      const client = clientOf(stage, []);
      for (const [end, after] of [
        ['commit', { n: 1 }],
        ['rollback', {}],
      ] as const) {
        const job = await stage.put();
        const application = await stage.caller();
        expect(await client.jobs.updateMetadata(job.publicId, [increment('n')], { tx: application.tx })).toBe(
          'updated',
        );
        await application[end]();
        expect((await stage.row(job)).metadata).toEqual(after);
      }
    },
  );

  test.once(
    'a transaction that keeps the job for long is an error, and not a wait without end',
    async (stage) => {
      const client = clientOf(stage, []);
      const job = await stage.put();
      const [holder, application] = [await stage.caller(), await stage.caller()];
      await client.jobs.updateMetadata(job.publicId, [increment('n')], { tx: holder.tx });
      await expect(
        client.jobs.updateMetadata(job.publicId, [increment('n')], { tx: application.tx }),
      ).rejects.toMatchObject({ code: 'LockTimeout' });
      await holder.commit();
    },
  );

  test.once('metadata of a settled job is changed, and its payload is not', async (stage) => {
    const client = clientOf(stage, []);
    await stage.put();
    const job = await stage.serve();
    expect(await client.jobs.updateMetadata(job.publicId, [set('seen', true)])).toBe('updated');
    await expect(client.jobs.updatePayload(job.publicId, [set([], 1)])).rejects.toMatchObject({
      code: 'ROWLOCK_ILLEGAL_TRANSITION',
      message: expect.stringContaining('it is complete'),
    });
    expect(await stage.row(job)).toMatchObject({
      metadata: { seen: true },
      status: 'complete',
      payload: job.payload,
    });
  });

  test.once('a job that is not there is an error', async (stage) => {
    const client = clientOf(stage, []);
    const missing = { code: 'ROWLOCK_JOB_NOT_FOUND' };
    for (const id of ['3c9f4f4e-6a4b-4c5d-8e8f-0a1b2c3d4e5f', 'no id']) {
      await expect(client.jobs.updateMetadata(id, [increment('n')])).rejects.toMatchObject(missing);
      await expect(client.jobs.updatePayload(id, [increment('n')])).rejects.toMatchObject(missing);
    }
  });

  test('a job that a run has is running, at once, and so are the jobs of its key', async (stage) => {
    const { queue, key, put } = stage;
    const [running, finish] = [gate(), gate()];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run() {
        running.open();
        await finish.promise;
      },
    });
    const [job, sibling] = [await put({ key }), await put({ key, kind: 'other' })];
    await startWorker(stage, [handler]);
    await within('the handler', running.promise);
    const client = clientOf(stage, [handler]);
    for (const { publicId } of stage.workersLease ? [job] : [job, sibling]) {
      expect(await client.jobs.updateMetadata(publicId, [increment('n')])).toBe('running');
      expect(await client.jobs.updatePayload(publicId, [set([], 1)])).toBe('running');
    }
    finish.open();
    await until('it is settled', async () => (await stage.row(job)).status === 'complete');
    const row = await stage.row(job);
    expect(row).toMatchObject({ metadata: {}, payload: job.payload });
    expect(await client.jobs.updateMetadata(job.publicId, [increment('n')])).toBe('updated');
  });

  test("a handler's change of its own job's metadata is kept with the settlement, and lost with a throw", async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, put } = stage;
    const define: DefineHandler<Tx> = defineHandler;
    const handler = define({
      kind: 'work',
      queue,
      payload: AnyJson,
      retry: SOON,
      async run({ job, tx }) {
        const own = { tx };
        expect(await client.jobs.updateMetadata(job.publicId, [append('attempts', [job.attempt])], own)).toBe(
          'updated',
        );
        expect(await client.jobs.updatePayload(job.publicId, [set([], 'changed')], own)).toBe('running');
        if (job.attempt === 1) throw new Error('lost');
        if (job.attempt === 2) return retry(new Error('again'));
        return job.metadata;
      },
    });
    const client = clientOf(stage, [handler]);
    await put();
    await startWorker(stage, [handler]);
    const [row] = await allSettled(stage);
    expect(row).toMatchObject({
      status: 'complete',
      metadata: { attempts: [2, 3] },
      output: { attempts: [2] },
      payload: {},
    });
  });

  test('progress is changed part by part, and seen while the run goes on', async (stage) => {
    const { queue, put, view } = stage;
    const [running, finish] = [gate(), gate()];
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      async run({ progress }) {
        progress.update([increment('done'), append('log', ['a'])]);
        progress.update([increment('done', 2), merge('state', { phase: 'copy' })]);
        expect(() => progress.update([set('lost', 1), increment('log')])).toThrow(
          expect.objectContaining({ code: 'ROWLOCK_UPDATE_REFUSED', operation: 1, reason: 'not-a-number' }),
        );
        running.open();
        await finish.promise;
      },
    });
    const job = await put();
    await startWorker(stage, [handler]);
    await within('the handler', running.promise);
    const { progress, status } = await until('the progress is seen', async () => {
      const found = await view(job);
      return found.progress !== null && found;
    });
    expect({ progress, status }).toEqual({
      progress: { done: 3, log: ['a'], state: { phase: 'copy' } },
      status: 'in-progress',
    });
    finish.open();
    await allSettled(stage);
  });

  test.once('the driver finds a held job locked, and a leased one in progress', async (stage) => {
    const { driver, put } = stage;
    const change = {
      column: 'metadata',
      operations: [increment('n')],
      from: ['new'],
      mostBytes: 100,
    } as const;
    const job = await put();
    const { held, job: claimed } = await stage.hold();
    expect(await driver.jobs.update(job.publicId, change)).toEqual({ outcome: 'locked' });
    await held.settle([settlement(claimed)]);
    expect(await driver.jobs.update(job.publicId, change)).toEqual({ outcome: 'locked' });
    await held.commit();
    expect(await driver.jobs.update(job.publicId, change)).toEqual({
      outcome: 'illegal',
      status: 'complete',
    });
    expect((await stage.row(job)).metadata).toEqual({});
  });
});
