import { OUTSTANDING } from '@rowlock/core/driver';
import type { JobRow } from '../driver-harness.js';

const OPEN: ReadonlySet<string> = new Set(OUTSTANDING);

export function isOutstanding({ status }: JobRow): boolean {
  return OPEN.has(status);
}
