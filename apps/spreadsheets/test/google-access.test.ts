import { describe, expect, test } from 'vitest';
import { readConfig } from '../src/config.js';
import { accessTo } from '../src/google-access.js';

const WORKER = { DATABASE_URL: 'postgres://user@localhost/app' };

function access(env: NodeJS.ProcessEnv) {
  return accessTo(readConfig({ ...WORKER, ...env }, 'migration').google);
}

describe('the way to Google', () => {
  test('is none without credentials', () => expect(access({})).toBeUndefined());

  test('leads to the stand-in', () => {
    expect(access({ GOOGLE_ROOT_URL: 'http://127.0.0.1:4000/' })).toEqual({
      auth: { accessToken: 'spreadsheets' },
      rootUrl: 'http://127.0.0.1:4000/',
    });
  });

  test('is a key alone', () => {
    expect(access({ GOOGLE_APPLICATION_CREDENTIALS: 'key.json' })).toEqual({ auth: { keyFile: 'key.json' } });
  });

  test('puts new spreadsheets into a folder', () => {
    expect(
      access({ GOOGLE_APPLICATION_CREDENTIALS: 'key.json', GOOGLE_DRIVE_FOLDER_ID: '0AbC-d_e' }),
    ).toEqual({
      auth: { keyFile: 'key.json' },
      folderId: '0AbC-d_e',
    });
  });

  test('acts as a user', () => {
    const key = { client_email: 'robot@project.example', private_key: 'secret' };
    const env = { GOOGLE_CREDENTIALS_JSON: JSON.stringify(key), GOOGLE_SUBJECT: 'ada@example.com' };
    expect(access(env)).toEqual({ auth: { key }, subject: 'ada@example.com' });
  });
});
