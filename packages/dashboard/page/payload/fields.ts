import type { Json } from '@rowlock/core';
import { type Schema, schemaIn } from './json-schema.js';

/** A member of a payload, to be filled in. */
export interface Field {
  /** The names that lead to it. */
  readonly path: readonly string[];
  readonly name: string;
  readonly hint: string;
  readonly isRequired: boolean;
  /** Whether it is null where nothing is typed. Otherwise it is left out. */
  readonly isNullable: boolean;
  readonly as:
    | { readonly type: 'text' | 'number' | 'boolean' | 'json' }
    | { readonly type: 'choice'; readonly of: readonly Json[] }
    | { readonly type: 'group'; readonly fields: readonly Field[] };
  /** What the schema fills in. */
  readonly otherwise: Json | undefined;
}

/** Objects in objects are fields in groups, to this depth. */
const DEEPEST = 3;

/** The fields of an object's schema. Null where a form would not do: the payload is written as JSON then. */
export function fieldsOf(root: Json | null): readonly Field[] | null {
  const schema = root === null ? undefined : schemaIn(root, root);
  if (root === null || schema?.type !== 'object') return null;
  const fields = membersOf(schema, [], root);
  return fields.length === 0 ? null : fields;
}

function membersOf(
  { properties = {}, required = [] }: Schema,
  path: readonly string[],
  root: Json,
): readonly Field[] {
  return Object.entries(properties).map(([name, json]) =>
    fieldOf([...path, name], required.includes(name), json, root),
  );
}

function fieldOf(path: readonly string[], isRequired: boolean, json: Json, root: Json): Field {
  const given = schemaIn(json, root) ?? {};
  const { schema, isNullable } = withoutNull(given, root);
  const { title, description } = { ...schema, ...given };
  return {
    path,
    name: path.at(-1) ?? '',
    hint: [title, description, schema.format].filter(Boolean).join(' · '),
    isRequired,
    isNullable,
    as: kindOf(schema, path, root),
    otherwise: given.default ?? schema.default,
  };
}

/** The one schema beside null. */
function withoutNull(schema: Schema, root: Json): { readonly schema: Schema; readonly isNullable: boolean } {
  const parts = schema.anyOf?.map((part) => schemaIn(part, root) ?? {}) ?? [];
  const [only, ...others] = parts.filter(({ type }) => type !== 'null');
  if (parts.length === 2 && only !== undefined && others.length === 0)
    return { schema: only, isNullable: true };
  const types = Array.isArray(schema.type) ? schema.type.filter((type) => type !== 'null') : [];
  if (types.length === 1) return { schema: { ...schema, type: types[0] }, isNullable: true };
  return { schema, isNullable: false };
}

function kindOf(schema: Schema, path: readonly string[], root: Json): Field['as'] {
  const { type, enum: choices, const: only, properties, additionalProperties } = schema;
  if (only !== undefined) return { type: 'choice', of: [only] };
  if (choices !== undefined) return { type: 'choice', of: choices };
  if (type === 'string') return { type: 'text' };
  if (type === 'number' || type === 'integer') return { type: 'number' };
  if (type === 'boolean') return { type: 'boolean' };
  const isClosed = typeof additionalProperties !== 'object' && additionalProperties !== true;
  if (type === 'object' && properties !== undefined && isClosed && path.length < DEEPEST)
    return { type: 'group', fields: membersOf(schema, path, root) };
  return { type: 'json' };
}
