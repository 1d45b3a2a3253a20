import { generateKeyPairSync } from 'node:crypto';
import { drive } from '@googleapis/drive';
import { gaxios, JWT } from 'google-auth-library';
import { afterEach, describe, expect, test } from 'vitest';
import { type EmulatorOptions, type GoogleSheetsEmulator, startGoogleSheetsEmulator } from '../src/index.js';
import { googleClients, newSpreadsheet, refusal } from './google-clients.js';

let emulator: GoogleSheetsEmulator;
async function start(options: EmulatorOptions = {}) {
  emulator = await startGoogleSheetsEmulator(options);
  return emulator;
}
afterEach(() => emulator.close());

describe('tokens', () => {
  test('without one the answer is 401, in the shape of each API', async () => {
    const { url } = await start();
    const sheetsAnswer = await fetch(`${url}/v4/spreadsheets/x`);
    expect(sheetsAnswer.status).toBe(401);
    expect(await sheetsAnswer.json()).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } });
    const driveAnswer = await fetch(`${url}/drive/v3/files`);
    expect(await driveAnswer.json()).toMatchObject({
      error: { errors: [{ reason: 'required', location: 'Authorization' }] },
    });
  });

  test('only those listed are taken, and calls name their user', async () => {
    const { url } = await start({ tokens: { secret: 'ada@example.com' } });
    const id = await newSpreadsheet(googleClients(url, 'secret'));
    expect(
      await refusal(googleClients(url, 'other').sheets.spreadsheets.get({ spreadsheetId: id })),
    ).toMatchObject({
      status: 401,
    });
    expect(emulator.calls()).toMatchObject([
      { method: 'POST', path: '/drive/v3/files', status: 200, user: 'ada@example.com' },
      { status: 401, user: undefined },
    ]);
  });
});

describe('service accounts', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const robot = 'robot@project.iam.gserviceaccount.com';

  /** google-auth-library asks Google's own address whatever the key's token_uri says, so its transport is turned round. */
  function serviceAccount(url: string, key: string, subject?: string) {
    const transporter = new gaxios.Gaxios();
    transporter.interceptors.request.add({
      resolved: async (request) => {
        if (String(request.url) === 'https://oauth2.googleapis.com/token')
          request.url = new URL('/token', url);
        return request;
      },
    });
    const scopes = ['https://www.googleapis.com/auth/drive.file'];
    const auth = new JWT({ email: robot, key, scopes, transporter, ...(subject && { subject }) });
    return drive({ version: 'v3', auth, rootUrl: url, retry: false });
  }

  test('get a token for their signature, once', async () => {
    const { url } = await start({ serviceAccounts: { [robot]: publicKey } });
    const client = serviceAccount(url, privateKey);
    await newSpreadsheet({ drive: client });
    await client.files.list();
    expect(emulator.calls().map((call) => [call.method, call.user])).toEqual([
      ['POST', robot],
      ['GET', robot],
    ]);
  });

  test('act as the user they were delegated by', async () => {
    const { url } = await start();
    await newSpreadsheet({ drive: serviceAccount(url, privateKey, 'ada@example.com') });
    expect(emulator.calls()[0]?.user).toBe('ada@example.com');
  });

  test('are refused with a key of someone else', async () => {
    const { url } = await start({ serviceAccounts: { [robot]: publicKey } });
    const other = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const refused = await refusal(newSpreadsheet({ drive: serviceAccount(url, other.privateKey) }));
    expect(refused.message).toBe('invalid_grant: Invalid JWT Signature.');
    expect(emulator.calls()).toEqual([]);
  });

  test('lose their token after an hour', async () => {
    let time = Date.now();
    const { url } = await start({ now: () => time });
    const assertion = [{ alg: 'RS256' }, { iss: robot, scope: 's', exp: time / 1000 + 60 }, 'signature']
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const body = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion,
    });
    const answer: unknown = await (await fetch(`${url}/token`, { method: 'POST', body })).json();
    expect(answer).toMatchObject({ token_type: 'Bearer', expires_in: 3599 });
    const { access_token } = Object(answer);
    const clients = googleClients(url, String(access_token));
    await newSpreadsheet(clients);
    time += 3_600_000;
    expect(await refusal(newSpreadsheet(clients))).toMatchObject({ status: 401 });
  });
});

describe('quotas', () => {
  test('60 reads a minute of a user; the next minute starts afresh', async () => {
    let time = 1_000_000 * 60_000;
    const { url } = await start({ now: () => time });
    const clients = googleClients(url, 'one');
    const spreadsheetId = await newSpreadsheet(clients);
    const read = (who = clients) => who.sheets.spreadsheets.get({ spreadsheetId });
    for (let count = 0; count < 60; count++) await read();
    const refused = await refusal(read());
    expect(refused).toMatchObject({
      status: 429,
      data: {
        error: {
          status: 'RESOURCE_EXHAUSTED',
          details: [
            { reason: 'RATE_LIMIT_EXCEEDED', metadata: { quota_limit: 'ReadRequestsPerMinutePerUser' } },
          ],
        },
      },
    });
    expect(refused.message).toContain(
      "Quota exceeded for quota metric 'Read requests' and limit 'Read requests per minute per user'",
    );
    await read(googleClients(url, 'two'));
    time += 60_000;
    await read();
  });

  test('those of the project hold for all users together, writes apart from reads', async () => {
    const { url } = await start({ quotas: { writesPerMinute: 2 }, now: () => 0 });
    const spreadsheetId = await newSpreadsheet(googleClients(url));
    const write = (who: string) =>
      googleClients(url, who).sheets.spreadsheets.batchUpdate({
        spreadsheetId,
        requestBody: { requests: [{ addSheet: { properties: { title: who } } }] },
      });
    await write('one');
    await write('two');
    expect((await refusal(write('three'))).message).toContain("per minute'");
    await googleClients(url, 'three').sheets.spreadsheets.get({ spreadsheetId });
  });

  test('Drive refuses in its own way', async () => {
    const { url } = await start({ quotas: { drivePerMinute: 0 } });
    expect(await refusal(googleClients(url).drive.files.list())).toMatchObject({
      status: 403,
      data: { error: { errors: [{ domain: 'usageLimits', reason: 'userRateLimitExceeded' }] } },
    });
  });
});

describe('limits', () => {
  test('a body of more than 10 MiB is refused', async () => {
    const { url } = await start();
    const text = 'x'.repeat(11 * 1024 * 1024);
    const answer = await fetch(`${url}/drive/v3/files`, {
      method: 'POST',
      headers: { authorization: 'Bearer t' },
      body: JSON.stringify({ text }),
    }).then(
      (response) => response.status,
      () => 'cut',
    );
    expect([413, 'cut']).toContain(answer);
  });

  test('what is not JSON is refused', async () => {
    const { url } = await start();
    const headers = { authorization: 'Bearer t' };
    for (const body of ['{', '[]']) {
      const answer = await fetch(`${url}/drive/v3/files`, { method: 'POST', headers, body });
      expect(answer.status).toBe(400);
    }
  });

  test('an address in use is said in one sentence', async () => {
    const { url } = await start();
    const port = Number(new URL(url).port);
    await expect(startGoogleSheetsEmulator({ port })).rejects.toThrow(
      `127.0.0.1:${port} is already in use: stop what listens there, or choose another port.`,
    );
  });
});
