import { createHash } from 'node:crypto';

/** What stands for an id in the picture: the same from every process, and no way back to the (random) id. */
export function standIn(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, 12);
}
