import { context, metrics, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { afterAll, beforeEach } from 'vitest';

const exporter = new InMemorySpanExporter();

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
trace.setGlobalTracerProvider(
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
);

beforeEach(() => exporter.reset());
afterAll(() => {
  context.disable();
  propagation.disable();
  trace.disable();
  metrics.disable();
});

/** The spans that have ended, in the order of their ends. */
export function spans(): readonly ReadableSpan[] {
  return exporter.getFinishedSpans();
}

/** @throws Error if there is none, or more than one */
export function span(name: string): ReadableSpan {
  const [found, ...others] = spans().filter((each) => each.name === name);
  if (found !== undefined && others.length === 0) return found;
  throw new Error(`There are ${spans().map((each) => each.name)}, and not one ${name}.`);
}
