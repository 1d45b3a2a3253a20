import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GoogleSheetsEmulator, startGoogleSheetsEmulator } from '../src/index.js';
import { googleClients, newSpreadsheet } from './google-clients.js';

let emulator: GoogleSheetsEmulator;
let id: string;
let page: string;

beforeAll(async () => {
  emulator = await startGoogleSheetsEmulator({ publicUrl: 'https://sheets.example/' });
  id = await newSpreadsheet(googleClients(emulator.url), '<b>Title</b>');
  expect(emulator.spreadsheet(id)?.url).toBe(`https://sheets.example/spreadsheets/d/${id}/edit`);
  page = `${emulator.url}/spreadsheets/d/${id}`;
  emulator.type(id, 'A1', [
    ['<script>alert(1)</script>', '=HYPERLINK("https://example.com/?a=1&b=2","Send back")'],
    ['=HYPERLINK("javascript:alert(1)","Trap")', '"quoted"'],
  ]);
});
afterAll(() => emulator.close());

const type = (cells: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  fetch(`${page}/cells`, { method: 'PUT', headers, body: JSON.stringify({ cells }) });

describe('the page', () => {
  test('is a table of inputs with everything escaped', async () => {
    const html = await (await fetch(`${page}/edit`)).text();
    expect(html).toContain('&#60;b&#62;Title&#60;/b&#62;');
    expect(html).not.toContain('<script>alert');
    expect(html).toContain('<input aria-label="A1" value="&#60;script&#62;alert(1)&#60;/script&#62;"');
    expect(html).toContain(
      '<a href="https://example.com/?a=1&#38;b=2" target="_blank" rel="noopener">Send back</a>',
    );
    expect(html).toContain('<th scope="row">1</th>');
  });

  test('makes no link of a script', async () => {
    const html = await (await fetch(`${page}/edit`)).text();
    expect(html).not.toContain('javascript:');
    expect(html).toContain('value="Trap"');
  });

  test('allows nothing from elsewhere', async () => {
    for (const path of [`/spreadsheets/d/${id}/edit`, '/spreadsheets/page.js', '/spreadsheets/page.css']) {
      const response = await fetch(emulator.url + path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
  });

  test('is a clear 404 for what is not there', async () => {
    const response = await fetch(`${emulator.url}/spreadsheets/d/none/edit`);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('This spreadsheet does not exist');
  });

  test('its script is a script', async () => {
    const script = await (await fetch(`${emulator.url}/spreadsheets/page.js`)).text();
    expect(() => new Function(script)).not.toThrow();
  });
});

describe('typing', () => {
  test('is there for the API at once, read as Google reads typing, and costs no call', async () => {
    const before = emulator.calls().length;
    expect((await type([{ row: 4, column: 0, text: '12' }])).status).toBe(200);
    expect(emulator.calls()).toHaveLength(before);
    expect(emulator.spreadsheet(id)?.sheets[0]?.values[4]).toEqual([12]);
  });

  test('beyond the grid makes it grow', async () => {
    await type([{ row: 1200, column: 30, text: 'far' }]);
    expect(emulator.spreadsheet(id)?.sheets[0]).toMatchObject({ rowCount: 1201, columnCount: 31 });
    expect((await type([{ row: 1e9, column: 0, text: 'x' }])).status).toBe(400);
  });

  test('is refused from other sites and for nonsense', async () => {
    const cells = [{ row: 0, column: 0, text: 'x' }];
    expect((await type(cells, { 'content-type': 'text/plain' })).status).toBe(415);
    const foreign = { 'content-type': 'application/json', origin: 'https://elsewhere.example' };
    expect((await type(cells, foreign)).status).toBe(403);
    const own = { 'content-type': 'application/json', origin: emulator.url };
    expect((await type([], own)).status).toBe(200);
    expect((await type([{ row: -1, column: 0, text: 'x' }])).status).toBe(400);
    expect((await fetch(`${page}/cells`, { method: 'POST' })).status).toBe(405);
  });

  test('of others is seen through the version', async () => {
    const read = async (version: number): Promise<unknown> =>
      (await fetch(`${page}/cells?version=${version}`)).json();
    const { version } = Object(await read(-1));
    expect(await read(version)).toEqual({ version });
    emulator.type(id, 'A9', [['new']]);
    expect(await read(version)).toMatchObject({
      version: version + 1,
      title: '<b>Title</b>',
      cells: expect.arrayContaining([{ row: 8, column: 0, text: 'new' }]),
    });
  });
});
