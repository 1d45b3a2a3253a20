import type { StandardSchemaV1 } from '@standard-schema/spec';
import { InvalidPayloadError, payloadIssues } from '../errors.js';

/**
 * Validates a payload by a handler's schema.
 *
 * @returns What the schema makes of it.
 * @throws InvalidPayloadError with the issues that the schema found.
 */
export async function checkPayload<Schema extends StandardSchemaV1>(
  handler: { readonly kind: string; readonly payload: Schema },
  payload: unknown,
): Promise<StandardSchemaV1.InferOutput<Schema>> {
  const result = await handler.payload['~standard'].validate(payload);
  if (result.issues !== undefined) throw new InvalidPayloadError(handler.kind, payloadIssues(result.issues));
  return result.value;
}
