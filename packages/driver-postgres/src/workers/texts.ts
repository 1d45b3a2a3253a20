import type { WakeUp } from '@rowlock/core/driver';
import { toText } from '../connection/pipeline/to-text.js';

/** Wake-ups as the payloads of notifications, in an array in Postgres's text format. */
export function texts(wakeUps: readonly WakeUp[]): string | null {
  return toText(wakeUps.map((wakeUp) => JSON.stringify(wakeUp)));
}
