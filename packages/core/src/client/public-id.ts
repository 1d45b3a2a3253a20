import { validate as isUuid, v7 as uuid } from 'uuid';

/**
 * A public id as the rows have it, whatever letters it was written in: not every database takes capitals for the same.
 *
 * @returns undefined if it cannot be one.
 */
export function publicIdOf(given: string): string | undefined {
  return isUuid(given) ? given.toLowerCase() : undefined;
}

/**
 * A public id for a job to be: of the time, by which an index of them grows at its end, and 74 random bits, so that nobody guesses it.
 * Where they were random altogether, their index took Postgres two fifths of the time of a settlement.
 *
 * @returns a UUID of version 7, https://www.rfc-editor.org/rfc/rfc9562#section-5.7
 */
export function newPublicId(): string {
  // With options, if only none: without any, ids of one millisecond would be counted up and could be guessed from each other.
  return uuid({});
}
