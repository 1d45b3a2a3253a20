import {
  type Context,
  diag,
  INVALID_SPAN_CONTEXT,
  type Span,
  type SpanOptions,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/**
 * What is recorded is no part of a job: an error of the application's tracing or metrics goes to OpenTelemetry's log alone.
 * Undefined then.
 */
export function quietly<Result>(record: () => Result): Result | undefined {
  try {
    return record();
  } catch (error) {
    diag.error('The tracing or the metrics of the application threw, and a job went on without them.', error);
    return undefined;
  }
}

/** Begins a span. If the application's span processors throw, it is one that records nothing. */
export function beginSpan(tracer: Tracer, name: string, options: SpanOptions, outside?: Context): Span {
  const span = quietly(() => tracer.startSpan(name, options, outside));
  return span ?? trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
}

/** @param at When, in milliseconds since 1970. Default: now. */
export function endSpan(span: Span, at?: number): void {
  quietly(() => span.end(at));
}
