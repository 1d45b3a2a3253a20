import { InvalidInputError } from '@rowlock/core';

/** Postgres cuts what is longer, and would then take two names for one. */
const LONGEST_BYTES = 63;

/**
 * Quotes a name. Every identifier that reaches a statement goes through here.
 *
 * @throws InvalidInputError when it cannot be one.
 */
export function identifier(name: string): string {
  if (name.length === 0 || Buffer.byteLength(name) > LONGEST_BYTES || name.includes('\0')) {
    throw new InvalidInputError(`A name must have 1 to ${LONGEST_BYTES} bytes, not ${JSON.stringify(name)}.`);
  }
  return `"${name.replaceAll('"', '""')}"`;
}
