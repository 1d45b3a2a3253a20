import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { Fault } from '@rowlock/google-sheets-emulator';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { GoogleRequestError, GoogleUnavailableError, googleSpreadsheets } from '../src/index.js';
import { calls, emulated } from './emulated.js';

const content = {
  columns: ['Item', 'Count', 'Done'],
  rows: [
    ['=1+1', 2, true],
    ["O'Neill", -1.5, false],
    ['+49 30', null, '2024-01-02'],
  ],
  sendBackUrl: 'https://app.example/send-back?a=1&b="x"',
  statusText: 'Not sent back yet',
};

const JSON_TYPE = { 'content-type': 'application/json' };

describe('against the emulator, through Google’s own libraries', () => {
  test('a spreadsheet is created, filled and shared in three calls', async () => {
    const { emulator, spreadsheets } = await emulated();
    const file = await spreadsheets.createFile({ title: 'Plan', appProperties: { rowlockKey: 'k' } });
    await spreadsheets.writeContent(file.spreadsheetId, content);
    await spreadsheets.share(file.spreadsheetId, 'ada@example.com');
    expect(calls(emulator)).toEqual([
      'POST /drive/v3/files 200',
      'POST /v4/spreadsheets/{id}:batchUpdate 200',
      'POST /drive/v3/files/{id}/permissions 200',
    ]);
    const seen = emulator.spreadsheet(file.spreadsheetId);
    expect(seen).toMatchObject({
      title: 'Plan',
      url: file.url,
      appProperties: { rowlockKey: 'k' },
      permissions: [{ role: 'owner' }, { role: 'writer', emailAddress: 'ada@example.com' }],
      notifications: [],
      sheets: [{ frozenRowCount: 2 }],
    });
    expect(seen?.sheets[0]?.values).toEqual([
      ['Not sent back yet', 'Send back'],
      ['Item', 'Count', 'Done'],
      ['=1+1', 2, true],
      ["O'Neill", -1.5, false],
      ['+49 30', null, '2024-01-02'],
    ]);
    expect(seen?.sheets[0]?.formulas[0]?.[1]).toBe(
      '=HYPERLINK("https://app.example/send-back?a=1&b=""x""";"Send back")',
    );
  });

  test('what people type is read in one call, the status is written in one', async () => {
    const { emulator, spreadsheets } = await emulated();
    const { spreadsheetId } = await spreadsheets.createFile({ title: 'Plan', appProperties: {} });
    await spreadsheets.writeContent(spreadsheetId, content);
    emulator.type(spreadsheetId, 'A4', [['', '', ''], ['changed', '12', 'TRUE'], [''], ['below', '7']]);
    emulator.clearCalls();
    expect(await spreadsheets.read(spreadsheetId)).toEqual({
      statusText: 'Not sent back yet',
      columns: ['Item', 'Count', 'Done'],
      rows: [
        ['=1+1', 2, true],
        ['changed', 12, true],
        ['below', 7, null],
      ],
    });
    const status = { read: 'Not sent back yet', text: 'Received' };
    expect(await spreadsheets.writeStatus(spreadsheetId, status)).toBe(true);
    expect(calls(emulator)).toEqual([
      'POST /v4/spreadsheets/{id}/values:batchGetByDataFilter 200',
      'POST /v4/spreadsheets/{id}:batchUpdate 200',
    ]);
    expect(emulator.spreadsheet(spreadsheetId)?.sheets[0]?.values[0]?.[0]).toBe('Received');
    expect(await spreadsheets.writeStatus(spreadsheetId, status)).toBe(false);
  });

  test('a number that is too large for one is read as a text', async () => {
    const { emulator, spreadsheets } = await emulated();
    const values = '[["", "Send back"], ["Item"], [1e400], [-1e400], [1e308]]';
    const body = `{"spreadsheetId":"x","valueRanges":[{"valueRange":{"range":"A1:B5","values":${values}}}]}`;
    const { spreadsheetId } = await spreadsheets.createFile({ title: 'Plan', appProperties: {} });
    emulator.fail({ body, headers: JSON_TYPE });
    expect((await spreadsheets.read(spreadsheetId)).rows).toEqual([['Infinity'], ['-Infinity'], [1e308]]);
  });

  test('5,000 rows and 50 columns fit, though a new sheet is smaller', async () => {
    const { spreadsheets } = await emulated();
    const { spreadsheetId } = await spreadsheets.createFile({ title: 'Large', appProperties: {} });
    const columns = Array.from({ length: 50 }, (_, index) => `Column ${index}`);
    const rows = Array.from({ length: 5000 }, (_, index) => [index]);
    await spreadsheets.writeContent(spreadsheetId, { ...content, columns, rows });
    const read = await spreadsheets.read(spreadsheetId);
    expect(read.columns).toEqual(columns);
    expect(read.rows).toHaveLength(5000);
  });

  test.each(["it's", 'back\\slash', "'} or {'"])(
    'a file is found by the property %j, the oldest first',
    async (value) => {
      let time = 1e12;
      const { emulator, spreadsheets } = await emulated({ now: () => time++ });
      expect(await spreadsheets.findByProperty('rowlockKey', value)).toBeUndefined();
      const wanted = { title: 'Plan', appProperties: { rowlockKey: value } };
      const first = await spreadsheets.createFile(wanted);
      await spreadsheets.createFile(wanted);
      emulator.clearCalls();
      expect(await spreadsheets.findByProperty('rowlockKey', value)).toEqual(first);
      expect(calls(emulator)).toEqual(['GET /drive/v3/files 200']);
    },
  );
});

test('a file is found also behind pages without files, which Drive may give before it', async () => {
  const { emulator, spreadsheets } = await emulated({ search: { emptyPages: 2 } });
  const file = await spreadsheets.createFile({ title: 'Plan', appProperties: { rowlockKey: 'k' } });
  emulator.clearCalls();
  expect(await spreadsheets.findByProperty('rowlockKey', 'k')).toEqual(file);
  expect(calls(emulator)).toHaveLength(3);
  expect(await spreadsheets.findByProperty('rowlockKey', 'another')).toBeUndefined();
});

describe('when Google refuses', () => {
  test('429 is waited out', async () => {
    const { emulator, spreadsheets } = await emulated();
    emulator.fail({ status: 429 });
    await spreadsheets.createFile({ title: 'Plan', appProperties: {} });
    expect(calls(emulator)).toEqual(['POST /drive/v3/files 429', 'POST /drive/v3/files 200']);
  });

  test('503 until the deadline is GoogleUnavailableError, and nothing but this package tried again', async () => {
    const { emulator, spreadsheets } = await emulated();
    const { spreadsheetId } = await spreadsheets.createFile({ title: 'Plan', appProperties: {} });
    emulator.clearCalls();
    emulator.fail({ status: 503, times: 99 });
    const error = await spreadsheets
      .read(spreadsheetId, { deadline: Date.now() + 3_000 })
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(GoogleUnavailableError);
    expect(error).toMatchObject({ cause: { status: 503 } });
    // One where the first answer took long. Google's libraries by themselves would make four of each.
    expect(calls(emulator).length).toBeLessThanOrEqual(2);
  });

  test('a connection that is cut after the effect is tried again where that is harmless', async () => {
    const { emulator, spreadsheets } = await emulated();
    const { spreadsheetId } = await spreadsheets.createFile({ title: 'Plan', appProperties: {} });
    emulator.fail({ path: 'permissions', cut: 'after' });
    await spreadsheets.share(spreadsheetId, 'ada@example.com');
    expect(emulator.spreadsheet(spreadsheetId)?.permissions).toHaveLength(2);
  });

  test('but makes no second spreadsheet', async () => {
    const { emulator, spreadsheets } = await emulated();
    emulator.fail({ cut: 'after' });
    const wanted = { title: 'Plan', appProperties: { rowlockKey: 'k' } };
    await expect(spreadsheets.createFile(wanted)).rejects.toBeInstanceOf(GoogleUnavailableError);
    expect(emulator.spreadsheets()).toHaveLength(1);
    expect(await spreadsheets.findByProperty('rowlockKey', 'k')).toBeDefined();
  });

  test('a call that hangs ends at its deadline, and at its signal', async () => {
    const { emulator, spreadsheets } = await emulated();
    emulator.fail({ until: new Promise(() => {}), times: 2 });
    await expect(
      spreadsheets.findByProperty('a', 'b', { deadline: Date.now() + 200 }),
    ).rejects.toBeInstanceOf(GoogleUnavailableError);
    const stop = new AbortController();
    const reason = new Error('stop now');
    setTimeout(() => stop.abort(reason), 100);
    await expect(spreadsheets.findByProperty('a', 'b', { signal: stop.signal })).rejects.toBe(reason);
  });

  test.concurrent.for<readonly [string, Fault]>([
    ['a page', { body: '<html>Sign in to the network</html>' }],
    ['a page of 404', { body: '<html>Not here</html>', status: 404 }],
    ['nothing', { body: '' }],
    ['an empty object', { body: '{}', headers: JSON_TYPE }],
    ['a part of JSON', { body: '{"spreadsheetId":"x","val', headers: JSON_TYPE }],
    ['a picture', { body: 'GIF89a', headers: { 'content-type': 'image/gif' } }],
  ])(
    '%s in the place of an answer is tried again, whatever the call was',
    async ([, fault], { onTestFinished }) => {
      const { emulator, spreadsheets } = await emulated({}, {}, onTestFinished);
      const { spreadsheetId } = await spreadsheets.createFile({ title: 'Plan', appProperties: { key: 'k' } });
      await spreadsheets.writeContent(spreadsheetId, content);
      emulator.clearCalls();
      emulator.fail({ ...fault, times: 6 });
      const answers = await Promise.all([
        spreadsheets.findByProperty('key', 'k'),
        spreadsheets.isWritten(spreadsheetId),
        spreadsheets.read(spreadsheetId),
        spreadsheets.writeContent(spreadsheetId, content),
        spreadsheets.share(spreadsheetId, 'ada@example.com'),
        spreadsheets.writeStatus(spreadsheetId, { read: content.statusText, text: 'Received' }),
      ]);
      expect(answers).toMatchObject([
        { spreadsheetId },
        true,
        { columns: content.columns },
        undefined,
        undefined,
        true,
      ]);
      expect(calls(emulator)).toHaveLength(12);
      emulator.fail(fault);
      const unclear = spreadsheets.createFile({ title: 'Plan', appProperties: {} });
      await expect(unclear).rejects.toBeInstanceOf(GoogleUnavailableError);
    },
  );

  test('what people changed after a write whose answer was lost is not written over', async () => {
    const { emulator, spreadsheets } = await emulated();
    const { spreadsheetId } = await spreadsheets.createFile({ title: 'Plan', appProperties: {} });
    emulator.fail({ path: ':batchUpdate', cut: 'after' });
    const writing = spreadsheets.writeContent(spreadsheetId, content);
    await expect.poll(() => emulator.spreadsheet(spreadsheetId)?.sheets[0]?.values).toHaveLength(5);
    emulator.type(spreadsheetId, 'A3', [['changed']]);
    await writing;
    expect(emulator.spreadsheet(spreadsheetId)?.sheets[0]?.values[2]?.[0]).toBe('changed');
  });

  test('a missing file is a sentence', async () => {
    const { spreadsheets } = await emulated();
    await expect(spreadsheets.read('none')).rejects.toMatchObject({
      name: 'GoogleRequestError',
      code: 'ROWLOCK_GOOGLE_REQUEST',
      status: 404,
      message:
        'Reading the spreadsheet none: Google does not have this file, or the account may not see it (Requested entity was not found.).',
    });
  });

  test('no error carries the token, wherever one looks', async () => {
    const { emulator, spreadsheets } = await emulated();
    emulator.fail({ status: 400 });
    emulator.fail({ cut: 'before' });
    for (let count = 0; count < 2; count++) {
      const error = await spreadsheets
        .createFile({ title: 'Plan', appProperties: {} })
        .catch((e: unknown) => e);
      expect(error).toBeInstanceOf(Error);
      const everything = inspect(error, { depth: Infinity, showHidden: true });
      expect(everything).not.toContain('very-secret-token');
      expect(everything).not.toMatch(/authorization/i);
    }
  });
});

function thrown(by: () => unknown): unknown {
  try {
    return by();
  } catch (error) {
    return error;
  }
}

describe('a service account', () => {
  const keyPair = () =>
    generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
  const { privateKey, publicKey } = keyPair();
  const client_email = 'robot@project.iam.gserviceaccount.com';
  const wanted = { title: 'Plan', appProperties: {} };

  test('signs for its token at the key’s token_uri', async () => {
    const { emulator } = await emulated({ serviceAccounts: { [client_email]: publicKey } });
    const key = { client_email, private_key: privateKey, token_uri: `${emulator.url}/token` };
    const spreadsheets = googleSpreadsheets({ auth: { key }, rootUrl: emulator.url });
    await spreadsheets.createFile(wanted);
    await spreadsheets.findByProperty('a', 'b');
    expect(emulator.calls().map((call) => call.user)).toEqual([client_email, client_email]);
  });

  test.each(['HTTPS_PROXY', 'http_proxy'])(
    'reaches an emulator on this machine without the proxy of %s',
    async (name) => {
      vi.stubEnv('NO_PROXY', undefined);
      vi.stubEnv('no_proxy', undefined);
      // Nothing listens there.
      vi.stubEnv(name, 'http://127.0.0.1:9');
      onTestFinished(() => void vi.unstubAllEnvs());
      const { emulator, spreadsheets } = await emulated();
      await spreadsheets.createFile(wanted);
      const key = { client_email, private_key: privateKey, token_uri: `${emulator.url}/token` };
      const signing = googleSpreadsheets({ auth: { key }, rootUrl: emulator.url });
      await signing.createFile(wanted);
      expect(emulator.spreadsheets()).toHaveLength(2);
    },
  );

  describe('whose token request hangs', () => {
    /** A token server whose first answer is this one, or is held back until it is released. */
    async function slowTokens(first?: string) {
      const { emulator } = await emulated();
      const released = Promise.withResolvers<void>();
      let asked = 0;
      const server = createServer(async (_, response) => {
        asked += 1;
        if (asked === 1 && first !== undefined) response.end(first);
        if (asked === 1) await released.promise;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ access_token: 'late', expires_in: 3599, token_type: 'Bearer' }));
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      onTestFinished(() => {
        server.close();
        server.closeAllConnections();
      });
      const address = server.address();
      if (typeof address !== 'object' || !address) throw new Error('The token server has no port.');
      const token_uri = `http://127.0.0.1:${address.port}/token`;
      const key = { client_email, private_key: privateKey, token_uri };
      const spreadsheets = googleSpreadsheets({ auth: { key }, rootUrl: emulator.url });
      return { emulator, spreadsheets, release: () => released.resolve(), asked: () => asked };
    }

    test('ends its call at the deadline and at the signal, and serves the next when it is answered', async () => {
      const { emulator, spreadsheets, release } = await slowTokens();
      const late = spreadsheets.createFile(wanted, { deadline: Date.now() + 200 });
      await expect(late).rejects.toBeInstanceOf(GoogleUnavailableError);
      const stop = new AbortController();
      const stopped = spreadsheets.createFile(wanted, { signal: stop.signal });
      const reason = new Error('stop now');
      stop.abort(reason);
      await expect(stopped).rejects.toBe(reason);
      release();
      await spreadsheets.createFile(wanted);
      expect(emulator.spreadsheets()).toHaveLength(1);
    });

    test.each(['<html>Sign in to the network</html>', '{}', ''])(
      'is another when the answer is not a token: %j',
      async (answer) => {
        const { emulator, spreadsheets } = await slowTokens(answer);
        expect(await spreadsheets.findByProperty('a', 'b')).toBeUndefined();
        expect(calls(emulator)).toEqual(['GET /drive/v3/files 200']);
      },
    );

    test('does not hang for ever: another is made', async () => {
      // Fifteen seconds are long for a test. The second request has all of them.
      const { timeout } = AbortSignal;
      const short = [100];
      const of = (ms: number) => (ms === 15_000 ? (short.pop() ?? ms) : ms);
      vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, of(ms)));
      onTestFinished(() => void vi.restoreAllMocks());
      const { spreadsheets, asked } = await slowTokens();
      expect(await spreadsheets.findByProperty('a', 'b')).toBeUndefined();
      expect(asked()).toBe(2);
    });
  });

  test('can come from a file, and act for a user', async () => {
    const { emulator } = await emulated();
    const keyFile = join(tmpdir(), `key-${process.pid}.json`);
    onTestFinished(() => rm(keyFile, { force: true }));
    await writeFile(
      keyFile,
      JSON.stringify({ client_email, private_key: privateKey, token_uri: `${emulator.url}/token` }),
      { mode: 0o600 },
    );
    const options = { auth: { keyFile }, rootUrl: emulator.url, subject: 'ada@example.com' };
    await googleSpreadsheets(options).createFile(wanted);
    expect(emulator.calls()[0]?.user).toBe('ada@example.com');
  });

  test.each([
    ['is not there', undefined, 'cannot be read (ENOENT)'],
    ['is not JSON', 'private_key: secret', 'is not JSON'],
    [
      'is of something else',
      '{}',
      'is not the key of a service account: it has no client_email and private_key',
    ],
  ])('whose key file %s is a sentence', async (_, text, sentence) => {
    const keyFile = join(tmpdir(), `broken-key-${process.pid}.json`);
    onTestFinished(() => rm(keyFile, { force: true }));
    if (text !== undefined) await writeFile(keyFile, text);
    const error = thrown(() => googleSpreadsheets({ auth: { keyFile } }));
    expect(error).toMatchObject({ message: `The key file ${keyFile} ${sentence}.` });
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain('secret');
  });

  test.each([{ applicationDefault: true }, { accessToken: 'ya29.x' }] as const)(
    'is who acts for a user: %j cannot',
    (auth) => {
      expect(() => googleSpreadsheets({ auth, subject: 'ada@example.com' })).toThrow(
        'A subject needs the key of a service account: auth.key or auth.keyFile.',
      );
    },
  );

  test('gets a new token when its old one is no longer taken', async () => {
    // The emulator alone is an hour ahead, until it has refused a call: an assertion of now would be too old for it as well.
    let refusing = () => false;
    const { emulator } = await emulated({ now: () => Date.now() + (refusing() ? 3_600_000 : 0) });
    const key = { client_email, private_key: privateKey, token_uri: `${emulator.url}/token` };
    const spreadsheets = googleSpreadsheets({ auth: { key }, rootUrl: emulator.url });
    await spreadsheets.createFile(wanted);
    refusing = () => emulator.calls().every((call) => call.status !== 401);
    await spreadsheets.createFile(wanted);
    expect(calls(emulator).map((call) => call.slice(-3))).toEqual(['200', '401', '200']);
  });

  test('with a wrong key is refused once, and the error shows neither key nor assertion', async () => {
    const { emulator } = await emulated({ serviceAccounts: { [client_email]: publicKey } });
    const other = keyPair().privateKey;
    const key = { client_email, private_key: other, token_uri: `${emulator.url}/token` };
    const spreadsheets = googleSpreadsheets({ auth: { key }, rootUrl: emulator.url });
    const error = await spreadsheets.createFile(wanted).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(GoogleRequestError);
    const everything = inspect(error, { depth: Infinity, showHidden: true });
    expect(everything).toContain('Invalid JWT Signature');
    expect(everything).not.toMatch(/assertion=|eyJ|PRIVATE KEY/);
  });

  test('whose key cannot be read is a sentence without the key', async () => {
    const { emulator } = await emulated();
    const private_key = '-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n';
    const auth = { key: { client_email, private_key } };
    const call = googleSpreadsheets({ auth, rootUrl: emulator.url }).createFile(wanted);
    const error = await call.catch((e: unknown) => e);
    expect(error).toBeInstanceOf(GoogleRequestError);
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain('secret');
  });
});
