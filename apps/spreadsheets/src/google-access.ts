import type { GoogleCredentials as Access, SpreadsheetsOptions } from '@rowlock/plugin-google-sheets';
import type { GoogleConfig, GoogleCredentials } from './config.js';

/** How the plugin reaches Google; undefined where nothing says how. */
export function accessTo(google: GoogleConfig): SpreadsheetsOptions | undefined {
  if (google.at === 'nowhere') return undefined;
  if (google.at === 'emulator') return { auth: { accessToken: 'spreadsheets' }, rootUrl: google.rootUrl };
  const { credentials, folderId, subject } = google;
  return {
    auth: authOf(credentials),
    ...(folderId !== undefined && { folderId }),
    ...(subject !== undefined && { subject }),
  };
}

function authOf(credentials: GoogleCredentials): Access {
  if ('file' in credentials) return { keyFile: credentials.file };
  const { clientEmail, privateKey } = credentials.account;
  return { key: { client_email: clientEmail, private_key: privateKey } };
}
