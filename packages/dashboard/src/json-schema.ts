import type { Enqueueable, Json } from '@rowlock/core';
import { isUnawaited } from './unawaited.js';

/**
 * The JSON Schema of what a validator accepts, where it gives one by the standard (https://standardschema.dev/json-schema).
 * Null where it gives none, also for a schema of which there is none.
 */
export function jsonSchemaOf(schema: Enqueueable['payload']): Json | null {
  const { jsonSchema } = Object(schema['~standard']);
  if (typeof jsonSchema?.input !== 'function') return null;
  try {
    const made: unknown = jsonSchema.input({ target: 'draft-2020-12' });
    return isUnawaited(made) ? null : JSON.parse(JSON.stringify(made));
  } catch {
    return null;
  }
}
