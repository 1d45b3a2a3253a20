/**
 * The attributes of spans, by OpenTelemetry's conventions for messaging (semconv 1.45). These are not stable yet, so the names
 * are here and not imported.
 */

import type { Attributes } from '@opentelemetry/api';

/** What a span is of. */
export interface Operation {
  /** Rowlock's word for it. */
  readonly name: 'enqueue' | 'run' | 'settle' | 'release';
  readonly type: 'send' | 'process' | 'settle';
}

export const OUTCOME = 'rowlock.outcome';
export const MESSAGE_ID = 'messaging.message.id';
export const ERROR_TYPE = 'error.type';

/** A span is of the jobs of one queue and kind. */
export interface JobsOfSpan {
  readonly queue: string;
  readonly kind: string;
  /** Their public ids. Unknown before the jobs are written. */
  readonly publicIds?: readonly string[];
  readonly count: number;
}

export function attributesOf(
  operation: Operation,
  { queue, kind, publicIds, count }: JobsOfSpan,
): Attributes {
  const [publicId] = publicIds ?? [];
  return {
    'messaging.system': 'rowlock',
    'messaging.operation.name': operation.name,
    'messaging.operation.type': operation.type,
    'messaging.destination.name': queue,
    'rowlock.kind': kind,
    ...(count > 1 && { 'messaging.batch.message_count': count }),
    ...(count === 1 && publicId !== undefined && { [MESSAGE_ID]: publicId }),
  };
}

/** The one outcome of several jobs, or `mixed`. */
export function outcomeOfAll(outcomes: Iterable<string>): string {
  const [first = 'complete', ...others] = new Set(outcomes);
  return others.length === 0 ? first : 'mixed';
}
