import { validate as isUuid } from 'uuid';

/**
 * A public id as the rows have it, whatever letters it was written in: not every database takes capitals for the same.
 *
 * @returns undefined if it cannot be one.
 */
export function publicIdOf(given: string): string | undefined {
  return isUuid(given) ? given.toLowerCase() : undefined;
}
