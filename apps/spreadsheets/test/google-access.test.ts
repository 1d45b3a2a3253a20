import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@rowlock/app-shared';
import { afterAll, describe, expect, test } from 'vitest';
import { type Role, readConfig } from '../src/config.js';
import { accessTo } from '../src/google-access.js';

const WORKER = { DATABASE_URL: 'postgres://user@localhost/app' };

const folder = mkdtempSync(join(tmpdir(), 'spreadsheets-key-'));
const keyFile = join(folder, 'key.json');
writeFileSync(keyFile, '{"client_email":"robot@project.example","private_key":"secret"}');
afterAll(() => rmSync(folder, { recursive: true }));

function access(env: NodeJS.ProcessEnv, role: Role = 'worker') {
  return accessTo(readConfig({ ...WORKER, ...env }, role).google);
}

describe('the way to Google', () => {
  test('is none without credentials', () => expect(access({}, 'migration')).toBeUndefined());

  test('is none for who does not need one, whatever is wrong with it', () => {
    const env = { DEMO_SIGN_IN: '1', GOOGLE_APPLICATION_CREDENTIALS: join(folder, 'gone.json') };
    expect(access(env, 'web')).toBeUndefined();
    expect(access(env, 'migration')).toBeUndefined();
  });

  test.each([
    ['is not there', 'gone.json', undefined, /must name a file that can be read \(ENOENT\)\.$/],
    ['is no JSON', 'text.json', 'secret', /must name a file with the JSON of a service account/],
    [
      'is no key',
      'other.json',
      '{"client_email":"secret"}',
      /must name a file with the JSON of a service account/,
    ],
  ])('a key that %s is told of in a sentence, without what it holds', (_, name, text, sentence) => {
    const file = join(folder, name);
    if (text !== undefined) writeFileSync(file, text);
    const reading = () => access({ GOOGLE_APPLICATION_CREDENTIALS: file });
    expect(reading).toThrow(ConfigError);
    expect(reading).toThrow(sentence);
    expect(reading).not.toThrow(/secret/);
  });

  test('leads to the stand-in', () => {
    expect(access({ GOOGLE_ROOT_URL: 'http://127.0.0.1:4000/' })).toEqual({
      auth: { accessToken: 'spreadsheets' },
      rootUrl: 'http://127.0.0.1:4000/',
    });
  });

  test('is a key alone', () => {
    expect(access({ GOOGLE_APPLICATION_CREDENTIALS: keyFile })).toEqual({ auth: { keyFile } });
  });

  test('puts new spreadsheets into a folder', () => {
    expect(access({ GOOGLE_APPLICATION_CREDENTIALS: keyFile, GOOGLE_DRIVE_FOLDER_ID: '0AbC-d_e' })).toEqual({
      auth: { keyFile },
      folderId: '0AbC-d_e',
    });
  });

  test('acts as a user', () => {
    const key = { client_email: 'robot@project.example', private_key: 'secret' };
    const env = { GOOGLE_CREDENTIALS_JSON: JSON.stringify(key), GOOGLE_SUBJECT: 'ada@example.com' };
    expect(access(env)).toEqual({ auth: { key }, subject: 'ada@example.com' });
  });
});
