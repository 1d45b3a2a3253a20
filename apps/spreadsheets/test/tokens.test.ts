import { POSTGRES } from '@rowlock/app-shared/testing';
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApplication, type TestApplication } from './support/test-application.js';
import { startTestProvider, type TestProvider } from './support/test-provider.js';
import { send } from './support/user-of-api.js';

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
    },
  });
});

afterAll(async () => {
  await app.stop();
  await provider.close();
});

function ask(token: string): ReturnType<typeof send> {
  return send(`${app.address}/api/spreadsheets`, 'GET', { headers: { Authorization: `Bearer ${token}` } });
}

test('a token of the identity provider is good', async () => {
  expect(await ask(await provider.token())).toMatchObject({ status: 200, body: { spreadsheets: [] } });
});

test.each<[string, () => Promise<string> | string, RegExp]>([
  ['expired', () => provider.token({}, '-1m'), /expired/],
  ['of another issuer', () => provider.token({ iss: 'https://evil.example' }), /not valid/],
  ['for another audience', () => provider.token({ aud: 'other' }), /not valid/],
  ['without a subject', () => provider.tokenWithoutSubject(), /not valid/],
  ['of an empty subject', () => provider.token({ sub: '' }), /not valid/],
  ['not yet good', () => provider.token({ nbf: Date.now() / 1000 + 600 }), /not valid/],
  ['not a token', () => 'not.a.token', /not valid/],
  [
    'without a signature',
    () =>
      new UnsecuredJWT({ sub: 'ada' })
        .setIssuer(provider.issuer)
        .setAudience(provider.audience)
        .setExpirationTime('5m')
        .encode(),
    /not valid/,
  ],
  [
    'signed with the public key as a shared secret',
    () =>
      new SignJWT({ sub: 'ada', iss: provider.issuer, aud: provider.audience })
        .setProtectedHeader({ alg: 'HS256', kid: 'one' })
        .setExpirationTime('5m')
        .sign(provider.publicKey),
    /not valid/,
  ],
  [
    'changed after it was signed',
    async () => {
      const [head, , signature] = (await provider.token()).split('.');
      const payload = {
        sub: 'grace',
        iss: provider.issuer,
        aud: provider.audience,
        exp: Date.now() / 1000 + 60,
      };
      return `${head}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.${signature}`;
    },
    /not valid/,
  ],
])('a token is refused that is %s', async (_, token, detail) => {
  const { status, body, headers } = await ask(await token());
  expect(status).toBe(401);
  expect(headers.get('content-type')).toContain('application/problem+json');
  expect(headers.get('www-authenticate')).toContain('Bearer');
  expect(body).toMatchObject({ status: 401, detail: expect.stringMatching(detail) });
});

/** With whom a spreadsheet is shared whose owner has a token with these claims. */
async function sharedWith(claims: JWTPayload): Promise<unknown> {
  const { status, body } = await send(`${app.address}/api/spreadsheets`, 'POST', {
    json: { title: 'Oars', columns: ['Item'] },
    headers: { Authorization: `Bearer ${await provider.token(claims)}` },
  });
  expect(status).toBe(202);
  const { jobs } = await app.rowlock.jobs.list();
  const job = jobs.find(({ publicId }) => publicId === body.job);
  return Object(job?.payload).shareWith;
}

test.each([{}, { email_verified: true }, { email_verified: 'true' }])(
  'a spreadsheet is shared with the address that the token tells: %o',
  async (verified) => {
    expect(await sharedWith({ email: 'ada@example.com', ...verified })).toBe('ada@example.com');
  },
);

test.each<JWTPayload>([
  { email: 'ada@example.com', email_verified: false },
  { email: 'ada@example.com', email_verified: 'false' },
  { email: 'ada@intranet' },
  { email: `${'a'.repeat(300)}@example.com` },
  { email: '' },
  { email: 7 },
])('with no address that is not verified, or that cannot be one at Google: %o', async (claims) => {
  expect(await sharedWith(claims)).toBeUndefined();
});

test('nobody gets in without a token, or by name', async () => {
  expect((await send(`${app.address}/api/spreadsheets`, 'GET')).status).toBe(401);
  expect((await send(`${app.address}/demo/token`, 'POST', { json: { name: 'Ada' } })).status).toBe(404);
});

test('a provider that is away is no fault of the token', async () => {
  const away = await startTestProvider();
  await away.close();
  const other = await startTestApplication({
    on: POSTGRES,
    env: {
      PUBLIC_URL: 'http://localhost:3000',
      DEMO_SIGN_IN: '0',
      JWKS_URL: away.jwksUrl,
      JWT_ISSUER: away.issuer,
      JWT_AUDIENCE: away.audience,
    },
  });
  const answer = await send(`${other.address}/api/spreadsheets`, 'GET', {
    headers: { Authorization: `Bearer ${await away.token()}` },
  });
  // Who is signed in is not told to be signed out: the page would take the cookie away.
  const session = await send(`${other.address}/session`, 'GET', {
    headers: { Cookie: `session-3000=${await away.token()}` },
  });
  await other.stop();
  expect(session.status).toBe(503);
  expect(answer).toMatchObject({ status: 503, body: { detail: expect.stringMatching(/identity provider/) } });
});
