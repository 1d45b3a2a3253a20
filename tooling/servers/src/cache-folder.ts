import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Where downloads are kept: `ROWLOCK_CACHE`, else a folder of the user's own cache. Not in the checkout, so that the
 * next one need not download again.
 */
export function cacheFolder(): string {
  const { ROWLOCK_CACHE, XDG_CACHE_HOME } = process.env;
  return ROWLOCK_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'rowlock');
}
