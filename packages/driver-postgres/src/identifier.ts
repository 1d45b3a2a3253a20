import { InvalidInputError } from '@rowlock/core';
import { shown } from '@rowlock/core/driver';

/** Postgres cuts a longer name, and would then confuse two names. */
const LONGEST_BYTES = 63;

/**
 * Quotes a name. Every identifier in a statement goes through here.
 *
 * @throws InvalidInputError when the name cannot be an identifier.
 */
export function identifier(name: string): string {
  if (
    typeof name !== 'string' ||
    name.length === 0 ||
    Buffer.byteLength(name) > LONGEST_BYTES ||
    name.includes('\0')
  ) {
    throw new InvalidInputError(`A name must have 1 to ${LONGEST_BYTES} bytes, not ${shown(name)}.`);
  }
  return `"${name.replaceAll('"', '""')}"`;
}
