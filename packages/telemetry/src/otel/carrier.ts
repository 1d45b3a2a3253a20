import { type Context, diag, type Link, propagation, trace } from '@opentelemetry/api';
import type { RunJob } from '@rowlock/core';
import type { CalledJob } from '@rowlock/core/types';
import { quietly } from './quietly.js';

type Metadata = RunJob<unknown>['metadata'];

/** The name in the metadata of a context to which the run has a link alone. */
const LINK = 'rowlock.link';

/**
 * Writes a context into a job's metadata, as the application's propagator does: `traceparent` and `tracestate`, for one. A
 * job that has one of these names already has the context of its caller, and keeps it.
 *
 * @param continues Whether the job's run may be part of the trace. If not, these names are in `rowlock.link`.
 */
export function carry(context: Context, job: CalledJob, continues: boolean): void {
  const carrier = quietly(() => carrierOf(context, job)) ?? {};
  if (Object.keys(carrier).length === 0) return;
  try {
    job.addMetadata(continues ? carrier : { [LINK]: carrier });
  } catch (error) {
    // The metadata would be too long. The job counts more than its trace.
    diag.warn('A job has no room for its context in its metadata.', error);
  }
}

/** Empty where the job has the context of its caller. */
function carrierOf(context: Context, { metadata }: CalledJob): Readonly<Record<string, string>> {
  const carrier: Record<string, string> = {};
  if (!propagation.fields().some((field) => field in metadata)) propagation.inject(context, carrier);
  return carrier;
}

/** A context with the span, and the baggage, that a job's metadata carries. */
export function carried(context: Context, metadata: object): Context {
  return quietly(() => propagation.extract(context, textsOf(metadata))) ?? context;
}

/** A link to the span that a job's metadata carries, if there is one. */
export function linkTo(context: Context, metadata: Metadata, attributes: Link['attributes'] = {}): Link[] {
  const linked = metadata[LINK];
  const carrier = typeof linked === 'object' && linked !== null ? linked : metadata;
  const span = trace.getSpanContext(carried(trace.deleteSpan(context), carrier));
  return span === undefined ? [] : [{ context: span, attributes }];
}

/** A caller may have written anything under the propagator's names. */
function textsOf(metadata: object): Record<string, string> {
  const texts = Object.entries<unknown>(Object(metadata)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}
