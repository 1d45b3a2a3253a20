// A web server, a worker, and Google, under OpenTelemetry: for one-trace.test.ts, which starts it. Prints the spans of one request.
import { createRequire } from 'node:module';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { MySQL2Instrumentation } from '@opentelemetry/instrumentation-mysql2';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

const { DRIVER, DATABASE_URL } = process.env;

const exporter = new InMemorySpanExporter();
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
trace.setGlobalTracerProvider(
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
);
for (const Instrumentation of [
  HttpInstrumentation,
  UndiciInstrumentation,
  PgInstrumentation,
  MySQL2Instrumentation,
])
  new Instrumentation();
// The tools patch a module while `require` loads it.
const { createServer } = createRequire(import.meta.url)('node:http');

const { createRowlock } = await import('@rowlock/core');
const { startGoogleSheetsEmulator } = await import('@rowlock/google-sheets-emulator');
const { CreateSpreadsheet, googleSheets } = await import('@rowlock/plugin-google-sheets');
const { openTelemetry } = await import('@rowlock/telemetry');

const emulator = await startGoogleSheetsEmulator();
const sheets = googleSheets({
  auth: { accessToken: 'any' },
  rootUrl: emulator.url,
  sendBackUrl: (key) => `https://app.example/${key}`,
  onCreated: ({ tx }) => tx.query('SELECT 1 AS kept'),
  resolve: () => undefined,
  onRows: () => {},
});
const rowlock = createRowlock({ driver: await openDriver(), plugins: [openTelemetry(), sheets] });
const worker = rowlock.worker();
const settled = new Promise((resolve) => worker.on('settled', () => setImmediate(resolve)));
await worker.start();

const payload = { title: 'Plan', columns: ['Item'], rows: [['Rope']] };
const server = createServer(async (_, response) => {
  const { publicId } = await rowlock.enqueue(CreateSpreadsheet, { key: 'plan', payload });
  response.end(publicId);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const answer = await fetch(`http://127.0.0.1:${server.address().port}/spreadsheets`, { method: 'POST' });
const publicId = await answer.text();
await settled;

const { status } = await rowlock.find(publicId);
await worker.stop();
await rowlock.close();
await emulator.close();
server.close();
const spans = exporter.getFinishedSpans().map((span) => ({
  name: span.name,
  kind: span.kind,
  traceId: span.spanContext().traceId,
  id: span.spanContext().spanId,
  parent: span.parentSpanContext?.spanId ?? null,
  attributes: span.attributes,
}));
console.log(JSON.stringify({ publicId, status, googleUrl: emulator.url, spans }));
process.exit(0);

async function openDriver() {
  if (DRIVER === 'postgres')
    return (await import('@rowlock/driver-postgres')).postgres({ connectionString: DATABASE_URL });
  return (await import('@rowlock/driver-mysql')).mysql({ uri: DATABASE_URL });
}
