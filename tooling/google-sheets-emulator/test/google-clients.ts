import { drive } from '@googleapis/drive';
import { sheets } from '@googleapis/sheets';
import { OAuth2Client } from 'google-auth-library';

/** Google's own client libraries, pointed at the emulator; they do not retry, so that a test sees every answer. */
export function googleClients(rootUrl: string, token = 'test-token') {
  const auth = new OAuth2Client();
  auth.setCredentials({ access_token: token });
  const options = { auth, rootUrl, retry: false };
  return {
    drive: drive({ version: 'v3', ...options }),
    sheets: sheets({ version: 'v4', ...options }),
  };
}

/** What Google's libraries throw, reduced to what the tests look at. */
export async function refusal(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error('The call was not refused.');
  const status = 'status' in error ? error.status : undefined;
  const response = 'response' in error ? error.response : undefined;
  const data = typeof response === 'object' && response && 'data' in response ? response.data : undefined;
  return { status, message: error.message, data };
}

/** Makes a spreadsheet, and returns its id. */
export async function newSpreadsheet(
  { drive }: Pick<ReturnType<typeof googleClients>, 'drive'>,
  name = 'Untitled',
): Promise<string> {
  const requestBody = { name, mimeType: 'application/vnd.google-apps.spreadsheet' };
  return (await drive.files.create({ requestBody })).data.id ?? '';
}
