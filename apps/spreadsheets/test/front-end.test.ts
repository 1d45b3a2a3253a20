import { POSTGRES } from '@rowlock/app-shared/testing';
import { expect, test, vi } from 'vitest';
import { DemoIssuer } from '../src/web/demo-issuer.js';
import { startTestApplication } from './support/test-application.js';

test('the front end takes no request before it can answer it', async () => {
  const listening = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap').length;
  const create = DemoIssuer.create.bind(DemoIssuer);
  let early = Number.NaN;
  vi.spyOn(DemoIssuer, 'create').mockImplementation(async (...args) => {
    early = listening();
    return create(...args);
  });
  const app = await startTestApplication({ on: POSTGRES.nowhere, isDatabaseAway: true });
  const late = listening();
  const { status } = await fetch(`${app.address}/healthz`);
  await app.stop();
  expect(status).toBe(200);
  expect(late).toBe(early + 1);
});
