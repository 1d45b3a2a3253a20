import { type Context, diag, type Link, propagation, trace } from '@opentelemetry/api';
import type { RunJob } from '@rowlock/core';
import type { CalledJob } from '@rowlock/core/types';

type Metadata = RunJob<unknown>['metadata'];

/**
 * Writes a context into a job's metadata, as the application's propagator does: `traceparent` and `tracestate`, for one. A
 * job that has one of these names already has the context of its caller, and keeps it.
 */
export function carry(context: Context, job: CalledJob): void {
  if (propagation.fields().some((field) => field in job.metadata)) return;
  const carrier: Record<string, string> = {};
  propagation.inject(context, carrier);
  if (Object.keys(carrier).length === 0) return;
  try {
    job.addMetadata(carrier);
  } catch (error) {
    // The metadata would be too long. The job counts more than its trace.
    diag.warn('A job has no room for its context in its metadata.', error);
  }
}

/** A context with the span, and the baggage, that a job's metadata carries. */
export function carried(context: Context, metadata: Metadata): Context {
  return propagation.extract(context, textsOf(metadata));
}

/** A link to the span that a job's metadata carries, if there is one. */
export function linkTo(context: Context, metadata: Metadata, attributes: Link['attributes'] = {}): Link[] {
  const span = trace.getSpanContext(carried(trace.deleteSpan(context), metadata));
  return span === undefined ? [] : [{ context: span, attributes }];
}

/** A caller may have written anything under the propagator's names. */
function textsOf(metadata: Metadata): Record<string, string> {
  const texts = Object.entries(metadata).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}
