import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SpanKind } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { databases } from './databases.js';

const program = fileURLToPath(new URL('one-trace.mjs', import.meta.url));

interface Span {
  readonly name: string;
  readonly kind: SpanKind;
  readonly traceId: string;
  readonly id: string;
  readonly parent: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Printed {
  readonly publicId: string;
  readonly status: string;
  readonly googleUrl: string;
  readonly spans: readonly Span[];
}

const isOfDatabase = ({ attributes }: Span): boolean =>
  Object.keys(attributes).some((name) => name.startsWith('db.'));

test.each(databases)(
  'on $name a request, its job, the calls to Google and the settlement are one trace',
  async ({ name, fresh, open }) => {
    const database = await fresh();
    const driver = open(database.url);
    try {
      await driver.schema.migrate();
      const env = { ...process.env, DRIVER: name, DATABASE_URL: database.url };
      const { stdout } = await promisify(execFile)(process.execPath, [program], { env, timeout: 60_000 });
      const { publicId, status, googleUrl, spans }: Printed = JSON.parse(stdout);
      expect(status).toBe('complete');

      const named = (wanted: string): Span => {
        const [only, ...others] = spans.filter((span) => span.name === wanted);
        if (only === undefined || others.length > 0) throw new Error(`There is not one ${wanted}.`);
        return only;
      };
      const childrenOf = ({ id }: Span) => spans.filter(({ parent }) => parent === id);
      const parentOf = ({ parent }: Span) => spans.find(({ id }) => id === parent);

      const enqueue = named('enqueue spreadsheet.create');
      const server = parentOf(enqueue);
      expect(server).toMatchObject({
        kind: SpanKind.SERVER,
        attributes: { 'url.path': '/spreadsheets', 'http.response.status_code': 200 },
      });
      expect(server && parentOf(server)).toMatchObject({ kind: SpanKind.CLIENT, parent: null });
      expect(childrenOf(enqueue).some(isOfDatabase)).toBe(true);

      const run = named('run spreadsheet.create');
      expect(parentOf(run)).toBe(enqueue);
      const urls = childrenOf(run).flatMap(({ kind, attributes }) =>
        kind === SpanKind.CLIENT && attributes['url.full'] !== undefined ? [`${attributes['url.full']}`] : [],
      );
      expect(urls.map((url) => url.slice(0, googleUrl.length))).toEqual(urls.map(() => googleUrl));
      expect(urls.map((url) => new URL(url).pathname.split('/')[1])).toEqual(['drive', 'v4']);
      // What the plugin's handler writes through the claim's own transaction.
      expect(childrenOf(run).some(isOfDatabase)).toBe(true);

      const settle = named('settle spreadsheet.create');
      expect(parentOf(settle)).toBe(run);
      for (const span of [enqueue, run, settle])
        expect(span.attributes).toMatchObject({
          'messaging.message.id': publicId,
          'messaging.destination.name': 'spreadsheets',
        });

      const trace = spans.filter(({ traceId }) => traceId === enqueue.traceId);
      const unconnected = trace.filter((span) => span.parent !== null && parentOf(span) === undefined);
      expect(unconnected).toEqual([]);
      expect(trace.filter(({ parent }) => parent === null)).toHaveLength(1);
    } finally {
      await driver.close();
      await database.drop();
    }
  },
);
