import { InvalidInputError } from '@rowlock/core';
import { shown } from '@rowlock/core/driver';

/** MySQL's limit on a name. */
const LONGEST_CHARACTERS = 64;

/**
 * Quotes a name. Every identifier in a statement goes through here.
 *
 * @throws InvalidInputError when the name cannot be an identifier.
 */
export function identifier(name: string): string {
  if (
    typeof name !== 'string' ||
    name.length === 0 ||
    name.length > LONGEST_CHARACTERS ||
    name.includes('\0')
  ) {
    throw new InvalidInputError(
      `A name must have 1 to ${LONGEST_CHARACTERS} characters, not ${shown(name)}.`,
    );
  }
  return `\`${name.replaceAll('`', '``')}\``;
}
