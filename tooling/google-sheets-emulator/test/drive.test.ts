import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GoogleSheetsEmulator, startGoogleSheetsEmulator } from '../src/index.js';
import { googleClients, refusal } from './google-clients.js';

const SPREADSHEET = 'application/vnd.google-apps.spreadsheet';
let emulator: GoogleSheetsEmulator;
let clients: ReturnType<typeof googleClients>;

beforeAll(async () => {
  emulator = await startGoogleSheetsEmulator();
  clients = googleClients(emulator.url);
});
afterAll(() => emulator.close());

async function create(name: string, appProperties: Record<string, string> = {}) {
  const requestBody = { name, mimeType: SPREADSHEET, appProperties };
  const { data } = await clients.drive.files.create({ requestBody, fields: 'id,webViewLink,appProperties' });
  return data;
}

describe('files', () => {
  test('a created spreadsheet has what was asked for and a page to look at', async () => {
    const file = await create('Plan', { rowlockKey: 'k1' });
    expect(file.id).toMatch(/^1[\w-]{43}$/);
    expect(file.appProperties).toEqual({ rowlockKey: 'k1' });
    expect(file.webViewLink).toBe(`${emulator.url}/spreadsheets/d/${file.id}/edit`);
    expect(emulator.spreadsheet(file.id ?? '')?.sheets).toMatchObject([
      { title: 'Sheet1', rowCount: 1000, columnCount: 26, values: [] },
    ]);
  });

  test('without fields the answer has the four members Drive gives', async () => {
    const { data } = await clients.drive.files.create({
      requestBody: { name: 'Bare', mimeType: SPREADSHEET },
    });
    expect(Object.keys(data).sort()).toEqual(['id', 'kind', 'mimeType', 'name']);
  });

  test.each([`it's`, 'back\\slash', `both \\' of them`, 'plain'])(
    'is found by the property %j',
    async (value) => {
      const { id } = await create('Find me', { rowlockKey: value });
      const escaped = value.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
      const q = `appProperties has { key='rowlockKey' and value='${escaped}' } and trashed = false and mimeType = '${SPREADSHEET}'`;
      const { data } = await clients.drive.files.list({
        q,
        fields: 'files(id,name,appProperties)',
        spaces: 'drive',
      });
      expect(data).toEqual({ files: [{ id, name: 'Find me', appProperties: { rowlockKey: value } }] });
    },
  );

  test('is listed page by page, the newest first or the oldest', async () => {
    for (const name of ['a', 'b', 'c']) await create(name, { paged: 'yes' });
    const q = "appProperties has { key='paged' and value='yes' }";
    const fields = 'nextPageToken,files/name';
    const first = await clients.drive.files.list({ q, pageSize: 2, fields });
    expect(first.data.files).toEqual([{ name: 'c' }, { name: 'b' }]);
    const pageToken = first.data.nextPageToken ?? '';
    const second = await clients.drive.files.list({ q, pageSize: 2, pageToken });
    expect(second.data.files).toHaveLength(1);
    expect(second.data.nextPageToken).toBeUndefined();
    const oldest = await clients.drive.files.list({ q, pageSize: 1, orderBy: 'createdTime', fields });
    expect(oldest.data.files).toEqual([{ name: 'a' }]);
    expect(await refusal(clients.drive.files.list({ q, orderBy: 'taste' }))).toMatchObject({ status: 400 });
  });

  test.each(['files(id', 'files(nonsense)', 'nonsense', 'files(id))', ','])(
    'refuses the mask %j',
    async (fields) => {
      expect(await refusal(clients.drive.files.list({ fields }))).toMatchObject({
        status: 400,
        data: { error: { errors: [{ reason: 'invalidParameter', location: 'fields' }] } },
      });
    },
  );

  test.each([
    "mimeType = 'x",
    "name = 'x'",
    'trashed = true or trashed = false',
    "mimeType 'x'",
    'and',
    "appProperties has { key='a' }",
  ])('refuses the query %j', async (q) => {
    expect(await refusal(clients.drive.files.list({ q }))).toMatchObject({
      status: 400,
      message: 'Invalid Value',
      data: { error: { errors: [{ reason: 'invalid', location: 'q' }] } },
    });
  });

  test('refuses a property of more than 124 bytes', async () => {
    expect(await refusal(create('Long', { rowlockKey: 'x'.repeat(115) }))).toMatchObject({ status: 400 });
  });
});

describe('a search that falls short, as Google’s may', () => {
  test('does not show a new file for a while', async () => {
    let time = 1e12;
    const late = await startGoogleSheetsEmulator({ now: () => time, search: { lagMs: 1000 } });
    const { drive } = googleClients(late.url);
    const { data } = await drive.files.create({ requestBody: { name: 'New', mimeType: SPREADSHEET } });
    const found = async () => (await drive.files.list()).data.files?.map((file) => file.id);
    time += 999;
    expect(await found()).toEqual([]);
    time += 1;
    expect(await found()).toEqual([data.id]);
    await late.close();
  });

  test('gives pages without files before the first one with some', async () => {
    const sparse = await startGoogleSheetsEmulator({ search: { emptyPages: 2 } });
    const { drive } = googleClients(sparse.url);
    for (const name of ['a', 'b']) await drive.files.create({ requestBody: { name, mimeType: SPREADSHEET } });
    const pages: unknown[] = [];
    let pageToken: string | undefined;
    do {
      const { data } = await drive.files.list({ pageSize: 1, ...(pageToken && { pageToken }) });
      pages.push(data.files?.map((file) => file.name));
      pageToken = data.nextPageToken ?? undefined;
    } while (pageToken);
    expect(pages).toEqual([[], [], ['b'], ['a']]);
    await sparse.close();
  });
});

describe('permissions', () => {
  test('sharing twice with one person gives one permission, the later role, and a mail each time it is wanted', async () => {
    const { id } = await create('Shared');
    const fileId = id ?? '';
    const share = (role: string, sendNotificationEmail: boolean) =>
      clients.drive.permissions.create({
        fileId,
        sendNotificationEmail,
        requestBody: { type: 'user', role, emailAddress: 'Ada@Example.com' },
      });
    const first = await share('reader', true);
    const second = await share('writer', false);
    expect(second.data.id).toBe(first.data.id);
    expect(second.data).toEqual({
      kind: 'drive#permission',
      id: first.data.id,
      type: 'user',
      role: 'writer',
    });
    expect(emulator.spreadsheet(fileId)?.permissions.map((each) => each.role)).toEqual(['owner', 'writer']);
    expect(emulator.spreadsheet(fileId)?.notifications).toMatchObject([{ emailAddress: 'Ada@Example.com' }]);
  });

  test.each([
    { type: 'user', role: 'writer', emailAddress: 'nobody' },
    { type: 'user', role: 'captain', emailAddress: 'a@b.c' },
    { role: 'writer' },
  ])('refuses %j', async (requestBody) => {
    const { id } = await create('Refused');
    const call = clients.drive.permissions.create({ fileId: id ?? '', requestBody });
    expect(await refusal(call)).toMatchObject({ status: 400 });
  });
});
