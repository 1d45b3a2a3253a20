import { JobNotFoundError } from '../errors.js';
import { publicIdOf } from '../job/public-id.js';
import { shown } from '../shown.js';

/** A public id as the tables have it. @throws JobNotFoundError when it is none. */
export function checkId(publicId: string): string {
  const known = publicIdOf(publicId);
  if (known === undefined)
    throw new JobNotFoundError((typeof publicId === 'string' ? publicId : shown(publicId)).slice(0, 64));
  return known;
}
