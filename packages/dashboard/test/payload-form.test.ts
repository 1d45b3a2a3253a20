import { expect, test } from 'vitest';
import { z } from 'zod';
import { fieldsOf } from '../page/payload/fields.js';
import { filledWith, nameOf, payloadOf, startOf } from '../page/payload/typed.js';
import { jsonSchemaOf } from '../src/json-schema.js';

const SCHEMA = z.object({
  to: z.string().describe('an address'),
  copies: z.number().int().optional(),
  paper: z.enum(['A4', 'letter']).default('A4'),
  urgent: z.boolean(),
  note: z.string().nullable(),
  customer: z.object({ id: z.number(), tags: z.array(z.string()) }),
});

const fields = fieldsOf(jsonSchemaOf(SCHEMA)) ?? [];

const PAYLOAD = {
  ...{ to: 'ada', copies: 2, paper: 'letter', urgent: true, note: null },
  customer: { id: 7, tags: ['a'] },
};

test('an object of a JSON Schema is a form', () => {
  expect(fields.map(({ name, isRequired, as }) => [name, isRequired, as.type])).toEqual([
    ['to', true, 'text'],
    ['copies', false, 'number'],
    ['paper', false, 'choice'],
    ['urgent', true, 'boolean'],
    ['note', true, 'text'],
    ['customer', true, 'group'],
  ]);
  expect(fields[0]?.hint).toBe('an address');
});

test('a payload fills the form, and the form gives it back', () => {
  const typed = filledWith(fields, PAYLOAD);
  expect(typed && payloadOf(fields, typed)).toEqual({ payload: PAYLOAD, issues: [] });
});

test('an empty form has what the schema fills in, and leaves out what may be left out', () => {
  expect(payloadOf(fields, startOf(fields))).toEqual({
    payload: { to: '', paper: 'A4', urgent: false, note: null, customer: {} },
    issues: [],
  });
});

test('what a field cannot take is an issue of that field', () => {
  const typed = { ...startOf(fields), [nameOf(['copies'])]: 'two', [nameOf(['customer', 'tags'])]: '[' };
  const { issues } = payloadOf(fields, typed);
  expect(issues.map(({ path }) => path)).toEqual([['copies'], ['customer', 'tags']]);
});

test.each([
  ['a member without a field', { ...PAYLOAD, more: 1 }],
  ['a member of another type', { ...PAYLOAD, to: 7 }],
  ['a list', [PAYLOAD]],
  ['a choice that is none', { ...PAYLOAD, paper: 'A0' }],
])('%s has no place in the form', (_, payload) => {
  expect(filledWith(fields, payload)).toBeNull();
});

test.each([
  ['no schema', null],
  ['a text', z.string()],
  ['an object of any members', z.record(z.string(), z.number())],
  ['a union', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
  ['what has no JSON Schema', z.object({ at: z.date() })],
])('%s gives no form', (_, schema) => {
  expect(fieldsOf(schema && jsonSchemaOf(schema))).toBeNull();
});

test('what is referred to is found, and what refers to itself ends as JSON', () => {
  const Tree = z.object({
    name: z.string(),
    get child() {
      return Tree.optional();
    },
  });
  const [, child] = fieldsOf(jsonSchemaOf(Tree)) ?? [];
  expect(JSON.stringify(child)).toContain('"type":"json"');
});
