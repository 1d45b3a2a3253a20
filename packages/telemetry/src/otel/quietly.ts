import {
  type Context,
  diag,
  INVALID_SPAN_CONTEXT,
  type Span,
  type SpanOptions,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** What is recorded is no part of a job: an error of the application's tracing or metrics goes to OpenTelemetry's log alone. */
export function quietly<Result>(record: () => Result, otherwise: Result): Result {
  try {
    return record();
  } catch (error) {
    diag.error('The tracing or the metrics of the application threw, and a job went on without them.', error);
    return otherwise;
  }
}

/** Begins a span. If the application's span processors throw, it is one that records nothing. */
export function beginSpan(tracer: Tracer, name: string, options: SpanOptions, outside?: Context): Span {
  const nothing = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
  return quietly(() => tracer.startSpan(name, options, outside), nothing);
}

/** @param at When, in milliseconds since 1970. Default: now. */
export function endSpan(span: Span, at?: number): void {
  quietly(() => span.end(at), undefined);
}
