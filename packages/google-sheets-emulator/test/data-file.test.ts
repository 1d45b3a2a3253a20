import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startGoogleSheetsEmulator } from '../src/index.js';
import { googleClients } from './google-clients.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emulator-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('spreadsheets survive a restart, and no half-written file stays behind', async () => {
  const dataFile = join(folder, 'below', 'sheets.json');
  const first = await startGoogleSheetsEmulator({ dataFile });
  const clients = googleClients(first.url);
  const { data } = await clients.sheets.spreadsheets.create({
    requestBody: { properties: { title: 'Kept' } },
  });
  const id = data.spreadsheetId ?? '';
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
  await googleClients(emulator.url).sheets.spreadsheets.create({ requestBody: {} });
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

test('the command prints its address, and ends when told to', async () => {
  const command = spawn(process.execPath, [join(import.meta.dirname, '../dist/cli.js'), '--port', '0']);
  const [output]: unknown[] = await new Promise((resolve) =>
    command.stdout.once('data', (...data) => resolve(data)),
  );
  const url = String(output).trim();
  expect((await fetch(`${url}/_emulator/calls`)).status).toBe(200);
  const code = new Promise((resolve) => command.once('exit', resolve));
  command.kill('SIGTERM');
  expect(await code).toBe(0);
});
