import { DATABASES } from '@rowlock/app-shared/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApplication, type TestApplication } from './support/test-application.js';
import { send, type UserOfApi } from './support/user-of-api.js';

describe.each(DATABASES)('on $name', (database) => {
  let app: TestApplication;
  let ada: UserOfApi;

  beforeAll(async () => {
    app = await startTestApplication({ on: database.nowhere, isDatabaseAway: true });
    ada = await app.user('Ada');
  });

  afterAll(() => app.stop());

  test('the front end starts without a database, and says that it is not ready', async () => {
    expect((await send(`${app.address}/healthz`, 'GET')).status).toBe(200);
    expect((await send(`${app.address}/readyz`, 'GET')).status).toBe(503);
    expect((await send(`${app.address}/`, 'GET')).status).toBe(200);
  });

  test.each<[string, string, unknown?]>([
    ['GET', '/api/spreadsheets'],
    ['POST', '/api/spreadsheets', { title: 'Oars', columns: ['Item'] }],
    ['POST', '/api/spreadsheets/7b0c1b0e-7d0a-4c53-9d0c-2a5d7c4f8a11/send-back', {}],
    ['GET', '/api/jobs/7b0c1b0e-7d0a-4c53-9d0c-2a5d7c4f8a11'],
  ])('503: %s %s', async (method, path, json) => {
    const { status, body, headers } = await ada.ask(method, path, { json });
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    expect(body.detail).toMatch(/database cannot be reached/);
  });

  test('what is wrong with a request is said all the same', async () => {
    expect((await ada.ask('POST', '/api/spreadsheets', { json: {} })).status).toBe(400);
  });
});
