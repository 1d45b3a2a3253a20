import type { StandardSchemaV1 } from '@standard-schema/spec';
import { InvalidPayloadError, payloadIssues } from '../errors.js';
import { isThenable } from '../thenable.js';

/**
 * Validates a payload by a handler's schema.
 *
 * @returns The schema's output. A promise of it if the schema is asynchronous.
 * @throws InvalidPayloadError with the issues that the schema found.
 */
export function checkPayload<Schema extends StandardSchemaV1>(
  handler: Payloaded<Schema>,
  payload: unknown,
): StandardSchemaV1.InferOutput<Schema> | Promise<StandardSchemaV1.InferOutput<Schema>> {
  const result = handler.payload['~standard'].validate(payload);
  return isThenable(result)
    ? Promise.resolve(result).then((later) => accepted(handler, later))
    : accepted(handler, result);
}

interface Payloaded<Schema> {
  readonly kind: string;
  readonly payload: Schema;
}

function accepted<Schema extends StandardSchemaV1>(
  { kind }: Payloaded<Schema>,
  result: StandardSchemaV1.Result<StandardSchemaV1.InferOutput<Schema>>,
): StandardSchemaV1.InferOutput<Schema> {
  if (result.issues !== undefined) throw new InvalidPayloadError(kind, payloadIssues(result.issues));
  return result.value;
}
