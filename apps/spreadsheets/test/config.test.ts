import { ConfigError } from '@rowlock/app-shared';
import { describe, expect, test } from 'vitest';
import { type Role, readConfig } from '../src/config.js';

const WEB = { DATABASE_URL: 'postgres://user:secret@localhost/app', DEMO_SIGN_IN: '1' };

function mistakes(env: NodeJS.ProcessEnv, role: Role = 'web'): readonly string[] {
  try {
    readConfig(env, role);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

describe('the configuration', () => {
  test('needs little', () => {
    expect(readConfig(WEB, 'web')).toMatchObject({
      publicUrl: 'http://localhost:3000',
      web: { host: '127.0.0.1', port: 3000, auth: { by: 'demo' } },
      google: { at: 'nowhere' },
      worker: { concurrency: 5 },
    });
  });

  test.each(['postgres://user@localhost', 'postgresql://user@localhost/app', 'mysql://user@localhost/app'])(
    'takes the database %s',
    (databaseUrl) => {
      expect(readConfig({ ...WEB, DATABASE_URL: databaseUrl }, 'web')).toMatchObject({ databaseUrl });
    },
  );

  test('takes an empty variable for one that is not set', () => {
    expect(mistakes({ ...WEB, PORT: '', JWKS_URL: ' ' })).toEqual([]);
  });

  test('leaves the slash at the end of the public URL out', () => {
    expect(readConfig({ ...WEB, PUBLIC_URL: 'https://a.example/' }, 'web').publicUrl).toBe(
      'https://a.example',
    );
  });

  test.each<[string, NodeJS.ProcessEnv, RegExp, Role?]>([
    ['no database', { DEMO_SIGN_IN: '1' }, /^DATABASE_URL is missing\. Set it to/],
    [
      'another database',
      { ...WEB, DATABASE_URL: 'mongodb://x' },
      /^DATABASE_URL must be a URL that starts with postgres:\/\/, postgresql:\/\/ or mysql:\/\/\.$/,
    ],
    [
      'a MySQL server without a database',
      { ...WEB, DATABASE_URL: 'mysql://user:secret@localhost:3306/' },
      /^DATABASE_URL must end with the name of a database/,
    ],
    ['a port that is no number', { ...WEB, PORT: 'http' }, /^PORT must be a whole number/],
    ['a port too high', { ...WEB, PORT: '70000' }, /^PORT must be a whole number/],
    ['a public address without a protocol', { ...WEB, PUBLIC_URL: 'a.example' }, /^PUBLIC_URL must be a URL/],
    ['a level that does not exist', { ...WEB, LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of/],
    [
      'half an identity provider',
      { ...WEB, DEMO_SIGN_IN: '0', JWKS_URL: 'https://a.example' },
      /belong together/,
    ],
    ['nobody could sign in', { ...WEB, DEMO_SIGN_IN: '0' }, /^Nobody could sign in/],
    [
      'the demo beside a provider',
      { ...WEB, JWKS_URL: 'https://a.example', JWT_ISSUER: 'a', JWT_AUDIENCE: 'b' },
      /^DEMO_SIGN_IN lets anybody in/,
    ],
    ['a worker without Google', WEB, /^There is no way to reach Google/, 'worker'],
    [
      'two ways to Google',
      { ...WEB, GOOGLE_ROOT_URL: 'http://a', GOOGLE_APPLICATION_CREDENTIALS: 'b' },
      /only one of/,
    ],
    [
      'the address of a folder for its id',
      { ...WEB, GOOGLE_DRIVE_FOLDER_ID: 'https://drive.google.com/drive/folders/abc' },
      /^GOOGLE_DRIVE_FOLDER_ID must be the last part/,
    ],
    [
      'somebody to act as who has no address',
      { ...WEB, GOOGLE_SUBJECT: 'ada' },
      /^GOOGLE_SUBJECT must be the e-mail address/,
    ],
    [
      'a folder at a stand-in for Google',
      { ...WEB, GOOGLE_ROOT_URL: 'http://a', GOOGLE_DRIVE_FOLDER_ID: '0AbC-d_e' },
      /^GOOGLE_DRIVE_FOLDER_ID is for Google itself/,
    ],
    [
      'folder and user at a stand-in for Google',
      {
        ...WEB,
        GOOGLE_ROOT_URL: 'http://a',
        GOOGLE_DRIVE_FOLDER_ID: '0AbC-d_e',
        GOOGLE_SUBJECT: 'a@b.example',
      },
      /^GOOGLE_DRIVE_FOLDER_ID and GOOGLE_SUBJECT are for Google itself/,
    ],
    ['a worker name with spaces', { ...WEB, WORKER_NAME: 'a b' }, /^WORKER_NAME must have/],
    ['a claim that there is not', { ...WEB, WORKER_CLAIM: 'rent' }, /^WORKER_CLAIM must be hold or lease/],
    ['too much at once', { ...WEB, WORKER_CONCURRENCY: '1000' }, /^WORKER_CONCURRENCY must be/],
  ])('says what is wrong in one sentence: %s', (_, env, sentence, role) => {
    const said = mistakes(env, role);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(sentence);
  });

  test('lists all mistakes at once', () => {
    expect(mistakes({ PORT: 'x', LOG_LEVEL: 'loud', WORKER_CONCURRENCY: '0' })).toHaveLength(5);
  });

  test('prints no secret', () => {
    const secret = 'hunter2';
    const env = {
      DATABASE_URL: `mongodb://user:${secret}@localhost/app`,
      GOOGLE_CREDENTIALS_JSON: `{"private_key":"${secret}"`,
      JWKS_URL: `ftp://user:${secret}@a.example`,
      PORT: secret,
    };
    expect(() => readConfig(env, 'web')).toThrow(ConfigError);
    expect(mistakes(env).join()).not.toContain(secret);
  });
});
