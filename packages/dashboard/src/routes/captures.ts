import { isDriverError } from '@rowlock/core';
import type { CaptureCheck } from '@rowlock/core/types';
import type { Call } from './route.js';

/** The captures of this program whose triggers are not as they should be. None where this account may not see triggers. */
export async function captures({ rowlock }: Call): Promise<readonly CaptureCheck[]> {
  try {
    return (await rowlock.captures.check()).filter(({ problems }) => problems.length > 0);
  } catch (error) {
    if (isDriverError(error, 'PermissionDenied')) return [];
    throw error;
  }
}
