import type { Json } from '@rowlock/core';
import type { PayloadIssue } from '@rowlock/core/types';
import type { Field } from './fields.js';

/** What stands in the fields, by their paths: texts as they were typed, and whether a box is ticked. */
export type Typed = Readonly<Record<string, string | boolean>>;

type Members = Record<string, Json>;

/** The name of a field, and of an issue that is about it. */
export function nameOf(path: readonly (string | number)[]): string {
  return JSON.stringify(path.map(String));
}

/** What the fields begin with. */
export function startOf(fields: readonly Field[]): Typed {
  return Object.assign(
    {},
    ...fields.map((field) =>
      field.as.type === 'group'
        ? startOf(field.as.fields)
        : { [nameOf(field.path)]: typedOf(field, field.otherwise) },
    ),
  );
}

function typedOf({ as, isRequired }: Field, value: Json | undefined): string | boolean {
  if (as.type === 'boolean') return value === true;
  if (as.type === 'choice')
    return value === undefined ? (isRequired && as.of.length === 1 ? '0' : '') : String(as.of.indexOf(value));
  if (value === undefined || value === null) return '';
  return as.type === 'json' ? JSON.stringify(value, null, 2) : String(value);
}

/** The fields filled with a payload. Null if the payload has something for which there is no field. */
export function filledWith(fields: readonly Field[], payload: Json): Typed | null {
  const members = membersIn(payload);
  if (members === null) return null;
  if (Object.keys(members).some((name) => !fields.some((field) => field.name === name))) return null;
  let typed: Typed = {};
  for (const field of fields) {
    const value = members[field.name];
    const part = filled(field, value);
    if (part === null) return null;
    typed = { ...typed, ...part };
  }
  return typed;
}

function membersIn(payload: Json): { readonly [name: string]: Json } | null {
  return typeof payload !== 'object' || payload === null || isList(payload) ? null : payload;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function filled(field: Field, value: Json | undefined): Typed | null {
  const { as, path, isNullable } = field;
  if (as.type === 'group') return value === undefined ? startOf(as.fields) : filledWith(as.fields, value);
  const typed = { [nameOf(path)]: typedOf(field, value) };
  if (value === undefined || (value === null && isNullable) || as.type === 'json') return typed;
  const fits =
    as.type === 'choice' ? as.of.includes(value) : typeof value === (as.type === 'text' ? 'string' : as.type);
  return fits ? typed : null;
}

/** A payload, with an issue for each text that is not what its field takes. */
export interface Read {
  readonly payload: Json;
  readonly issues: readonly PayloadIssue[];
}

/** The payload that the fields have. */
export function payloadOf(fields: readonly Field[], typed: Typed): Read {
  const payload: Members = {};
  const issues: PayloadIssue[] = [];
  for (const field of fields) {
    if (field.as.type === 'group') {
      const group = payloadOf(field.as.fields, typed);
      issues.push(...group.issues);
      if (field.isRequired || Object.keys(Object(group.payload)).length > 0)
        payload[field.name] = group.payload;
      continue;
    }
    try {
      const value = memberOf(field, typed[nameOf(field.path)] ?? '');
      if (value !== undefined) payload[field.name] = value;
    } catch (error) {
      issues.push({ path: field.path, message: messageOf(error) });
    }
  }
  return { payload, issues };
}

/** Undefined: it is left out. @throws Error with what is wrong with the text */
function memberOf({ as, isRequired, isNullable }: Field, typed: string | boolean): Json | undefined {
  if (typeof typed === 'boolean') return typed;
  if (typed === '') {
    if (isNullable) return null;
    return as.type === 'text' && isRequired ? '' : undefined;
  }
  switch (as.type) {
    case 'number': {
      const number = Number(typed);
      if (!Number.isFinite(number)) throw new Error('It is not a number.');
      return number;
    }
    case 'choice':
      return as.of[Number(typed)];
    case 'json':
      return jsonIn(typed);
    default:
      return typed;
  }
}

/** @throws Error */
export function jsonIn(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`It is not JSON: ${messageOf(error)}`);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
