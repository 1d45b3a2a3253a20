import { type Span, SpanStatusCode } from '@opentelemetry/api';
import { ERROR_TYPE } from './attributes.js';
import { quietly } from './quietly.js';

/** Records an error on a span. A handler may throw anything, also what throws when it is looked at. @param at When, in milliseconds since 1970. Default: now. */
export function recordFailure(span: Span, thrown: unknown, at?: number): void {
  const error = quietly(() => (thrown instanceof Error ? thrown : undefined)) ?? new Error(textOf(thrown));
  quietly(() => span.recordException(error, at));
  quietly(() => span.setStatus({ code: SpanStatusCode.ERROR, message: error.message }));
  quietly(() => span.setAttribute(ERROR_TYPE, typeOf(thrown)));
}

function textOf(thrown: unknown): string {
  return typeof thrown === 'string' ? thrown : 'A value that is no error.';
}

/** The error's code, as its job has it, or its class. */
function typeOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return '_OTHER';
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code;
  return thrown instanceof Error ? thrown.name : '_OTHER';
}
