import { describe, expect, expectTypeOf, test } from 'vitest';
import { InvalidInputError } from '../errors.js';
import { defineHandler } from '../handler/handler.js';
import { definePlugin } from '../plugin/plugin.js';
import { type Capture, defineCapture } from './capture.js';
import { capturedJob } from './captured-job.js';
import type { BulkChange, RowChange } from './change.js';
import { DeclaredCaptures } from './declared.js';

const orders = defineCapture({ name: 'orders', table: 'shop.orders', id: ['id'], kind: 'order.changed' });
const items = defineCapture({
  name: 'items',
  table: ['items'],
  id: ['order_id', 'line'],
  key: 'order_id',
  kind: 'order.changed',
  payload: ['quantity'],
});

/** Values from JavaScript are not typed. */
const untyped: (options: unknown) => unknown = defineCapture as never;

describe('defineCapture', () => {
  test('a capture of the least options captures all changes, with the id as the key', () => {
    expect(orders.plan).toEqual({
      name: 'orders',
      table: ['shop', 'orders'],
      id: ['id'],
      key: ['id'],
      insert: true,
      update: true,
      delete: true,
      columns: [],
      conditions: [],
      bulkOver: 1000,
      notify: 'throttled',
      onError: 'fail',
      ownWrites: false,
      job: { kind: 'order.changed', queue: 'default', priority: 0, maxAttempts: 5, limits: '' },
    });
    expect(items.plan).toMatchObject({ table: ['items'], key: ['order_id'], columns: ['quantity'] });
  });

  test('a job has its limits as an enqueue would write them', () => {
    const limited = defineCapture({
      name: 'limited',
      table: 'a',
      id: ['id'],
      kind: 'k',
      limit: [
        { name: 'search', max: 3 },
        { name: 'maps', starts: 60, per: '1m' },
      ],
    });
    expect(limited.plan.job.limits).toBe('{"maps":[60,60000,1],"search":3}');
    expect(capturedJob(limited)).toMatchObject({ limit: [{ name: 'search', max: 3 }, { name: 'maps' }] });
  });

  test.each<[string, object]>([
    ['defineCapture() has no "tabel"', { tabel: 'a' }],
    ['id must be a list', { id: 'id' }],
    ['id must name a column', { id: [] }],
    ['id names the column "id" twice', { id: ['id', 'id'] }],
    ['table must be like', { table: 'a.b.c' }],
    ['table must be like', { table: undefined }],
    ['kind must be text', { kind: undefined }],
    ['on has no "truncate"', { on: { truncate: true } }],
    ['on names no change', { on: { insert: false } }],
    ['on.update names no column', { on: { update: [] } }],
    ['on.insert must be true or false', { on: { insert: 1 } }],
    ['when.at must be a text, a finite number', { when: { at: new Date() } }],
    ['when.at must be a text', { when: { at: undefined } }],
    ['when.n must be a text, a finite number', { when: { n: Number.NaN } }],
    ['when.at must be a text', { when: { at: [] } }],
    ['bulk.over must be a whole number from 1', { bulk: { over: 0 } }],
    ["notify must be 'throttled', 'always', or 'never'", { notify: 'often' }],
    ["onError must be 'fail' or 'note'", { onError: 'ignore' }],
    ["ownWrites must be 'skip' or 'capture'", { ownWrites: true }],
    ['limit cannot be a function', { limit: () => undefined }],
    ['limit of the handler of "k" must be', { limit: {} }],
  ])('%s', (message, change) => {
    const wrong = () => untyped({ name: 'orders', table: 'a', id: ['id'], kind: 'k', ...change });
    expect(wrong).toThrow(InvalidInputError);
    expect(wrong).toThrow(`The capture "orders": ${message}`);
  });

  test('a capture needs a name', () => {
    expect(() => untyped({ table: 'a' })).toThrow('The name of a capture must be text');
    expect(() => untyped(undefined)).toThrow('A capture is an object');
  });

  test('two captures of one name are refused, and so is what defineCapture has not made', () => {
    expect(() => new DeclaredCaptures([orders, orders])).toThrow('Two captures have the name "orders"');
    const wrong: Capture = JSON.parse('{}');
    expect(() => new DeclaredCaptures([wrong])).toThrow('captures must be made by defineCapture()');
  });

  test('a plugin carries captures', () => {
    expect(definePlugin({ name: 'search', captures: [orders] })).toMatchObject({ captures: [orders] });
    const wrong: Capture[] = JSON.parse('{}');
    expect(() => definePlugin({ name: 'search', captures: wrong })).toThrow(
      'captures of the plugin "search" must be a list',
    );
  });
});

describe('capturedJob', () => {
  const job = capturedJob(orders, items);
  const validate = job.payload['~standard'].validate;

  test("a handler's payload has the type of its captures", () => {
    defineHandler({
      ...job,
      group: true,
      run({ job: { payload } }) {
        if (payload.op === 'bulk') {
          expectTypeOf(payload).toEqualTypeOf<
            BulkChange<'orders', 'id'> | BulkChange<'items', 'order_id' | 'line'>
          >();
        } else if (payload.capture === 'items') {
          expectTypeOf(payload).toEqualTypeOf<RowChange<'items', 'order_id' | 'line', 'quantity'>>();
          expectTypeOf(payload.id.line).toEqualTypeOf<string>();
          expectTypeOf(payload.new?.quantity).toEqualTypeOf<string | null | undefined>();
        }
      },
    });
    expect(job).toMatchObject({ kind: 'order.changed', queue: 'default', attempts: 5 });
  });

  test('the schema adds the nulls that a trigger leaves out', () => {
    expect(validate({ capture: 'orders', op: 'update', id: { id: '7' } })).toEqual({
      value: { capture: 'orders', op: 'update', id: { id: '7' }, old: null, new: null },
    });
    expect(validate({ capture: 'items', op: 'bulk', of: 'truncate' })).toEqual({
      value: { capture: 'items', op: 'bulk', of: 'truncate', rows: null, ids: null },
    });
  });

  test.each([
    ['capture', { capture: 'others', op: 'insert', id: { id: '7' } }],
    ['op', { capture: 'orders', op: 'upsert', id: { id: '7' } }],
    ['id', { capture: 'items', op: 'insert', id: { order_id: '7' } }],
    ['id', { capture: 'orders', op: 'insert', id: { id: 7 } }],
    ['of', { capture: 'orders', op: 'bulk' }],
    ['ids', { capture: 'orders', op: 'bulk', of: 'update', ids: [{}] }],
    ['capture', null],
  ])('the schema refuses another %s', (path, payload) => {
    expect(validate(payload)).toMatchObject({ issues: [{ path: [path] }] });
  });

  test('captures of one handler agree on all but their tables', () => {
    const other = defineCapture({
      name: 'other',
      table: 'o',
      id: ['id'],
      kind: 'order.changed',
      queue: 'slow',
    });
    expect(() => capturedJob(orders, other)).toThrow(
      'The captures "orders" and "other" have one handler, so both need the same queue.',
    );
  });
});
