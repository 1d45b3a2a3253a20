import { InvalidInputError } from '@rowlock/core';

/** As long as MySQL lets a name be. */
const LONGEST_CHARACTERS = 64;

/**
 * Quotes a name. Every identifier that reaches a statement goes through here.
 *
 * @throws InvalidInputError when it cannot be one.
 */
export function identifier(name: string): string {
  if (name.length === 0 || name.length > LONGEST_CHARACTERS || name.includes('\0')) {
    throw new InvalidInputError(
      `A name must have 1 to ${LONGEST_CHARACTERS} characters, not ${JSON.stringify(name)}.`,
    );
  }
  return `\`${name.replaceAll('`', '``')}\``;
}
