import { sheets, type sheets_v4 } from '@googleapis/sheets';
import {
  type EmulatorOptions,
  type GoogleSheetsEmulator,
  startGoogleSheetsEmulator,
} from '@rowlock/google-sheets-emulator';
import { OAuth2Client } from 'google-auth-library';
import { onTestFinished } from 'vitest';
import { googleSpreadsheets, type Spreadsheets, type SpreadsheetsOptions } from '../src/index.js';

/**
 * An emulator for one test, and the operations pointed at it.
 *
 * @param whenFinished A concurrent test's own `onTestFinished`.
 */
export async function emulated(
  options: EmulatorOptions = {},
  client: Partial<SpreadsheetsOptions> = {},
  whenFinished: (end: () => Promise<void>) => void = onTestFinished,
): Promise<{ emulator: GoogleSheetsEmulator; spreadsheets: Spreadsheets }> {
  const emulator = await startGoogleSheetsEmulator(options);
  whenFinished(() => emulator.close());
  const auth = { accessToken: 'ya29.very-secret-token' };
  return { emulator, spreadsheets: googleSpreadsheets({ auth, rootUrl: emulator.url, ...client }) };
}

/** Google's own client, for what people do to a sheet beside typing. */
export function google(emulator: GoogleSheetsEmulator): sheets_v4.Sheets {
  const auth = new OAuth2Client();
  auth.setCredentials({ access_token: 'somebody' });
  return sheets({ version: 'v4', auth, rootUrl: emulator.url });
}

/** The calls as `POST /drive/v3/files 200`, without the query, ids shortened. */
export function calls(emulator: GoogleSheetsEmulator): string[] {
  return emulator
    .calls()
    .map(
      ({ method, path, status }) =>
        `${method} ${path.replace(/\?.*/, '').replace(/1[\w-]{43}/, '{id}')} ${status}`,
    );
}
