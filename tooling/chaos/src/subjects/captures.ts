import { type Capture, defineCapture } from '@rowlock/core';
import { ATTEMPTS, kindOf, queueOf, SUBJECT_MODES, type SubjectMode } from './kinds.js';

/** One of each mode on the same table: each change is a job of both. */
export function captureOf(mode: SubjectMode): Capture {
  return defineCapture({
    name: `chaos_${mode}`,
    table: 'chaos_row',
    id: ['id'],
    kind: kindOf(mode, 'change'),
    queue: queueOf(mode),
    attempts: ATTEMPTS,
  });
}

export const CAPTURES: readonly Capture[] = SUBJECT_MODES.map(captureOf);
