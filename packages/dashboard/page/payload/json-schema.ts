import type { Json } from '@rowlock/core';

/** What the form knows of a JSON Schema. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Json;
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly default?: Json;
  readonly format?: string;
  readonly anyOf?: readonly Json[];
}

/** A schema, with what it refers to in its place. Undefined for what is none. */
export function schemaIn(json: Json | undefined, root: Json): Schema | undefined {
  const schema = objectIn(json);
  const { $ref } = schema ?? {};
  if (typeof $ref !== 'string') return schema;
  const steps = $ref.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (steps[0] !== '#') return undefined;
  return objectIn(steps.slice(1).reduce<unknown>((found, step) => Object(found)[step], root));
}

function objectIn(value: unknown): Schema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}
