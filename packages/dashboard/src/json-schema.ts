import type { Enqueueable, Json } from '@rowlock/core';

/**
 * The JSON Schema of what a validator accepts, where it gives one by the standard (https://standardschema.dev/json-schema).
 * Null where it gives none, also for a schema of which there is none.
 */
export function jsonSchemaOf(schema: Enqueueable['payload']): Json | null {
  const { jsonSchema } = Object(schema['~standard']);
  if (typeof jsonSchema?.input !== 'function') return null;
  try {
    return JSON.parse(JSON.stringify(jsonSchema.input({ target: 'draft-2020-12' })));
  } catch {
    return null;
  }
}
