import { validate as isUuid, v7 as uuid } from 'uuid';
import { JobNotFoundError } from '../errors.js';
import { shown } from '../shown.js';

/**
 * A public id in lower case, as in the rows. Not every database ignores case.
 *
 * @returns undefined if it cannot be one.
 */
export function publicIdOf(given: string): string | undefined {
  return isUuid(given) ? given.toLowerCase() : undefined;
}

/** A public id as the tables have it. @throws JobNotFoundError when it is none. */
export function checkId(publicId: string): string {
  const known = publicIdOf(publicId);
  if (known === undefined)
    throw new JobNotFoundError((typeof publicId === 'string' ? publicId : shown(publicId)).slice(0, 64));
  return known;
}

/** Random bytes for the next ids, and how many of them are used. A thousand bytes cost little more than one. */
const random = new Uint8Array(4096);
let used = random.length;

/**
 * A public id for a new job. The id begins with the time, so that an index of ids grows at its end. Its 74 random bits
 * are hard to guess. When all bits were random, the index took two fifths of the time of a settlement in Postgres.
 *
 * @returns a UUID of version 7, https://www.rfc-editor.org/rfc/rfc9562#section-5.7
 */
export function newPublicId(): string {
  if (used === random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  used += 16;
  // Random bytes are passed in. Otherwise the ids of one millisecond are counted up, and can be guessed from each
  // other.
  return uuid({ random: random.subarray(used - 16, used) });
}
