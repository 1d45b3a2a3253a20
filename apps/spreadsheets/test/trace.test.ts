import { SpanKind } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { DATABASES } from '@rowlock/app-shared/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { spans } from './support/spans.js';
import { startTestApplication, type TestApplication } from './support/test-application.js';

const idOf = (span: ReadableSpan): string => span.spanContext().spanId;
const parentOf = ({ parentSpanContext }: ReadableSpan): ReadableSpan | undefined =>
  spans().find((span) => idOf(span) === parentSpanContext?.spanId);
const childrenOf = (parent: ReadableSpan): readonly ReadableSpan[] =>
  spans().filter(({ parentSpanContext }) => parentSpanContext?.spanId === idOf(parent));

describe.each(DATABASES)('on $name', (database) => {
  let app: TestApplication;
  beforeEach(async () => {
    app = await startTestApplication({ on: database });
  });
  afterEach(() => app.stop());

  test('a request for a sheet, its job, the calls to Google and the settlement are one trace', async () => {
    const worker = app.composeWorker().rowlock.worker();
    const settled = new Promise<void>((resolve) => worker.on('settled', () => setImmediate(resolve)));
    await worker.start();
    const ada = await app.user('Ada');
    const { job } = await ada.create('Oars');
    await settled;

    const ofJob = (name: string): ReadableSpan => {
      const [only, ...others] = spans().filter(
        (span) => span.name === name && span.attributes['messaging.message.id'] === job,
      );
      if (only === undefined || others.length > 0) throw new Error(`The job has not one ${name}.`);
      return only;
    };
    const [enqueue, run, settle] = ['enqueue', 'run', 'settle'].map((each) =>
      ofJob(`${each} spreadsheet.create`),
    );
    if (!enqueue || !run || !settle) throw new Error('A span is missing.');
    const request = parentOf(enqueue);
    expect(request?.kind).toBe(SpanKind.SERVER);
    expect(request?.attributes).toMatchObject({
      'http.request.method': 'POST',
      'url.path': '/api/spreadsheets',
    });
    expect(parentOf(run)).toBe(enqueue);
    expect(parentOf(settle)).toBe(run);
    expect(settle.attributes).toMatchObject({ 'rowlock.outcome': 'complete' });
    const toGoogle = childrenOf(run).filter(
      ({ kind, attributes }) => kind === SpanKind.CLIENT && attributes['url.full'],
    );
    const paths = toGoogle.map(({ attributes }) => new URL(String(attributes['url.full'])).pathname);
    expect(paths.map((path) => path.split('/')[1])).toEqual(['drive', 'v4']);
    for (const span of [request, ...toGoogle, run, settle])
      expect(span?.spanContext().traceId).toBe(enqueue.spanContext().traceId);
  });
});
