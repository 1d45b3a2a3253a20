// Starts a tracing tool, and counts its spans.
import { subscribe } from 'node:diagnostics_channel';

/** @returns the spans so far */
export async function watchSpans(tool) {
  const spans = new Spans();
  await (tool === 'dd-trace' ? startDatadog(spans) : startOpenTelemetry(tool, spans));
  return spans;
}

class Spans {
  begun = 0;
  #open = new Map();
  #onEnd = () => {};

  /** @param name Returns its name at the end: a tool may name what it has begun. */
  begin(span, name) {
    this.begun += 1;
    this.#open.set(span, name);
  }

  end(span) {
    this.#open.delete(span);
    this.#onEnd();
  }

  /** The names of those that do not end within `ms`. */
  unended(ms) {
    return new Promise((resolve) => {
      const names = () => [...this.#open.values()].map((name) => name());
      const timer = setTimeout(() => resolve(names()), ms);
      this.#onEnd = () => {
        if (this.#open.size > 0) return;
        clearTimeout(timer);
        resolve([]);
      };
      this.#onEnd();
    });
  }
}

async function startOpenTelemetry(tool, spans) {
  const { context, trace } = await import('@opentelemetry/api');
  const { AsyncLocalStorageContextManager } = await import('@opentelemetry/context-async-hooks');
  const { TracerProvider } = await import('@opentelemetry/sdk-trace');
  const { PgInstrumentation } = await import('@opentelemetry/instrumentation-pg');
  const { MySQL2Instrumentation } = await import('@opentelemetry/instrumentation-mysql2');
  const processor = {
    onStart: (span) => spans.begin(span, () => span.name),
    onEnd: (span) => spans.end(span),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [processor] }));
  const addSqlCommenterCommentToQueries = tool === 'OpenTelemetry with comments';
  for (const Instrumentation of [PgInstrumentation, MySQL2Instrumentation])
    new Instrumentation({ addSqlCommenterCommentToQueries });
}

async function startDatadog(spans) {
  subscribe('dd-trace:span:start', ({ span, fields }) =>
    spans.begin(span, () => span.context()._tags['resource.name'] ?? fields.operationName),
  );
  subscribe('dd-trace:span:finish', (span) => spans.end(span));
  const { default: tracer } = await import('dd-trace');
  tracer.init({ startupLogs: false, dbmPropagationMode: 'full' });
}
