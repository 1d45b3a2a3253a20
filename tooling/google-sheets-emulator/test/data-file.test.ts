import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startGoogleSheetsEmulator } from '../src/index.js';
import { googleClients, newSpreadsheet } from './google-clients.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emulator-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('spreadsheets survive a restart, and no half-written file stays behind', async () => {
  const dataFile = join(folder, 'below', 'sheets.json');
  const first = await startGoogleSheetsEmulator({ dataFile });
  const id = await newSpreadsheet(googleClients(first.url), 'Kept');
  first.type(id, 'B3', [['=HYPERLINK("https://example.com","Go")', '12']]);
  const before = first.spreadsheet(id);
  await first.close();

  const second = await startGoogleSheetsEmulator({ dataFile });
  const after = second.spreadsheet(id);
  await second.close();
  expect(after).toEqual({ ...before, url: `${second.url}/spreadsheets/d/${id}/edit` });
  expect(after?.sheets[0]?.values).toEqual([[], [], [null, 'Go', 12]]);
  expect(await readdir(join(folder, 'below'))).toEqual(['sheets.json']);
});

test('is written a moment after a change, without a close', async () => {
  const dataFile = join(folder, 'sheets.json');
  const emulator = await startGoogleSheetsEmulator({ dataFile });
  await newSpreadsheet(googleClients(emulator.url));
  await expect.poll(() => readdir(folder), { timeout: 5000 }).toEqual(['sheets.json']);
  await emulator.close();
});

test.each(['{', '{"some":"other file"}'])('a file with %j in it is left alone', async (text) => {
  const dataFile = join(folder, 'other.json');
  await writeFile(dataFile, text);
  await expect(startGoogleSheetsEmulator({ dataFile })).rejects.toThrow(
    'is not a data file of this emulator',
  );
});
