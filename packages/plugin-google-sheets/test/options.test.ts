import { expect, test } from 'vitest';
import { type GoogleSheetsOptions, googleSheets, googleSpreadsheets } from '../src/index.js';

const INVALID = expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT' });
const options = {
  auth: { accessToken: 'ya29' },
  sendBackUrl: (key: string) => `https://app.example/${key}`,
  onCreated: () => {},
  resolve: () => null,
  onRows: () => {},
};

test('the options of the plugin are accepted, and an unknown one is refused with the name that may be meant', () => {
  const all: GoogleSheetsOptions<unknown> = { ...options, claim: 'lease', timeout: '30s', notify: true };
  expect(googleSheets(all).name).toBe('google-sheets');
  const odd: object = { folderid: 'x' };
  expect(() => googleSheets({ ...options, ...odd })).toThrow(
    /googleSheets\(\) has no "folderid".*folderId meant/,
  );
});

test.each<[string, unknown]>([
  ['no function', { onRows: undefined }],
  ['a text for a function', { resolve: 'k1' }],
  ['no credentials', { auth: undefined }],
  ['credentials of no kind', { auth: { token: 'x' } }],
  ['credentials of two kinds', { auth: { accessToken: 'x', keyFile: 'y' } }],
  ['a text for the credentials', { auth: 'key.json' }],
  ['a subject without a key', { subject: 'ada@example.com' }],
])('%s: refused in a sentence', (_, odd) => {
  expect(() => googleSheets({ ...options, ...Object(odd) })).toThrow(INVALID);
});

test('the operations alone refuse an unknown option too', () => {
  expect(() => googleSpreadsheets(Object({ auth: options.auth, notfy: true }))).toThrow(/Is notify meant/);
  for (const odd of [null, 5, Symbol('s')]) expect(() => googleSheets(Object(odd))).toThrow(INVALID);
});
