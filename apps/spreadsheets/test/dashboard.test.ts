import { launchChromium, POSTGRES } from '@rowlock/app-shared/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApplication, type TestApplication } from './support/test-application.js';
import { startTestProvider, type TestProvider } from './support/test-provider.js';
import { send } from './support/user-of-api.js';

/** As the page of somebody who has signed in. */
const signedIn = (token: string) => ({ headers: { Cookie: `session=${token}` } });

describe('in the demo', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication({ on: POSTGRES });
  });
  afterAll(() => app.stop());

  test('a person who has not signed in is shown the way in, and a program gets a refusal', async () => {
    const person = await send(`${app.address}/rowlock/`, 'GET', {
      headers: { Accept: 'text/html' },
    });
    expect(person.status).toBe(303);
    expect(person.headers.get('location')).toBe('/?next=%2Frowlock%2F');
    expect((await send(`${app.address}/rowlock/api/overview`, 'GET')).status).toBe(403);
  });

  test('whoever has signed in is an operator, under their own name', async () => {
    const ada = await app.user('Ada');
    const session = await send(`${app.address}/rowlock/api/session`, 'GET', signedIn(ada.token));
    expect(session).toMatchObject({ status: 200, body: { name: 'Ada' } });
    expect(session.body.can).toContain('redrive');
    const page = await send(`${app.address}/rowlock/`, 'GET', signedIn(ada.token));
    expect(page.headers.get('content-security-policy')).toMatch(/script-src 'self'/);
    const created = await ada.create('Oars');
    const jobs = await send(`${app.address}/rowlock/api/jobs`, 'GET', signedIn(ada.token));
    expect(jobs.body.jobs).toMatchObject([{ publicId: created.job, status: 'new' }]);
  });

  test('a browser comes back to the dashboard after the sign-in, and its policy allows the page', async () => {
    const browser = await launchChromium();
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    await page.goto(`${app.address}/rowlock`);
    await page.getByLabel('Your name').fill('Ada');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('rowgroup').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/rowlock/');
    expect(complaints).toEqual([]);
    await browser.close();
  });
});

describe('with an identity provider', () => {
  let provider: TestProvider;
  let app: TestApplication;

  beforeAll(async () => {
    provider = await startTestProvider();
    app = await startTestApplication({
      on: POSTGRES,
      env: {
        DEMO_SIGN_IN: '0',
        JWKS_URL: provider.jwksUrl,
        JWT_ISSUER: provider.issuer,
        JWT_AUDIENCE: provider.audience,
        OPERATORS: 'grace, ada',
      },
    });
  });
  afterAll(async () => {
    await app.stop();
    await provider.close();
  });

  test('only those of OPERATORS get in', async () => {
    const statusOf = async (sub: string): Promise<number> => {
      const token = await provider.token({ sub });
      return (await send(`${app.address}/rowlock/api/session`, 'GET', signedIn(token))).status;
    };
    expect(await statusOf('ada')).toBe(200);
    expect(await statusOf('linus')).toBe(403);
    expect((await send(`${app.address}/rowlock/api/session`, 'GET', signedIn('no token'))).status).toBe(403);
  });
});
