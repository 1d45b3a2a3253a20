import type { Settlement } from '../src/driver.js';
import { job } from './empty-database.js';

/** What settles the first job by this event. */
export function ending(event: Settlement['event']): Settlement {
  return {
    id: job(1n).id,
    runId: 'run',
    event,
    attempt: 1,
    crashes: 0,
    delayMs: 0,
    tookMs: 0,
    output: null,
    error: null,
    by: 'test',
  };
}
