import { createHash } from 'node:crypto';

/** The private property by which a file is found again: it holds the key of the job that made it. */
export const KEY_PROPERTY = 'rowlockKey';

/** Drive takes 124 bytes for name and value together; a key can have 512 characters, and is then represented by its hash. */
const MAX_VALUE_BYTES = 124 - KEY_PROPERTY.length;

export function keyProperty(key: string): string {
  if (Buffer.byteLength(key) <= MAX_VALUE_BYTES) return key;
  return `sha256-${createHash('sha256').update(key).digest('hex')}`;
}
