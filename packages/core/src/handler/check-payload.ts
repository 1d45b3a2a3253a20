import type { StandardSchemaV1 } from '@standard-schema/spec';
import { InvalidInputError, InvalidPayloadError, payloadIssues } from '../errors.js';
import { isThenable } from '../thenable.js';

/**
 * Validates a payload by a handler's schema.
 *
 * @returns The schema's output. A promise of it if the schema is asynchronous.
 * @throws InvalidPayloadError with the issues that the schema found; InvalidInputError when it tells neither issues nor a value.
 */
export function checkPayload({ kind, payload: schema }: Payloaded, payload: unknown): unknown {
  const result = schema['~standard'].validate(payload);
  return isThenable(result)
    ? Promise.resolve(result).then((later) => accepted(kind, later))
    : accepted(kind, result);
}

interface Payloaded {
  readonly kind: string;
  readonly payload: StandardSchemaV1;
}

/** @param result Of untyped code it may be anything. */
function accepted(kind: string, result: unknown): unknown {
  const given = Object(result);
  if (Array.isArray(given.issues)) throw new InvalidPayloadError(kind, payloadIssues(given.issues));
  if (given.issues === undefined && 'value' in given) return given.value;
  const neither = 'neither { value } nor { issues }: its validate() must return one of them.';
  throw new InvalidInputError(`The schema of the kind ${JSON.stringify(kind)} has returned ${neither}`);
}
