import { freePort } from '@rowlock/servers';
import { expect, test, vi } from 'vitest';
import { DemoIssuer } from '../src/web/demo-issuer.js';
import { POSTGRES } from './support/databases.js';
import { startTestApplication } from './support/test-application.js';

test('the front end takes no request before it can answer it', async () => {
  const port = await freePort();
  const create = DemoIssuer.create.bind(DemoIssuer);
  const early: unknown[] = [];
  vi.spyOn(DemoIssuer, 'create').mockImplementation(async (...args) => {
    const request = fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(5_000) });
    await request.catch((error: Error) => early.push(error.cause));
    return create(...args);
  });
  const env = { PORT: String(port) };
  const app = await startTestApplication({ on: POSTGRES.nowhere(1), isDatabaseAway: true, env });
  const { status } = await fetch(`${app.address}/healthz`);
  await app.stop();
  expect(status).toBe(200);
  expect(early).toEqual([expect.objectContaining({ code: 'ECONNREFUSED' })]);
});
