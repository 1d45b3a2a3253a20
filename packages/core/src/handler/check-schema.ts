import type { StandardSchemaV1 } from '@standard-schema/spec';
import { InvalidInputError } from '../errors.js';

/** @throws InvalidInputError */
export function checkSchema(kind: string, payload: StandardSchemaV1): void {
  if (typeof payload?.['~standard']?.validate === 'function') return;
  throw new InvalidInputError(
    `The payload of ${JSON.stringify(kind)} must be a Standard Schema, e.g. of zod.`,
  );
}
