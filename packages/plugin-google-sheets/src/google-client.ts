import { readFileSync } from 'node:fs';
import { drive, type drive_v3 } from '@googleapis/drive';
import { sheets, type sheets_v4 } from '@googleapis/sheets';
import { InvalidInputError } from '@rowlock/core';
import { GoogleAuth, gaxios, JWT, OAuth2Client } from 'google-auth-library';
import { googlesAnswer, TokenAnswer } from './google-answer.js';

/** A service account's key as Google's console downloads it; only these members are used. */
export interface ServiceAccountKey {
  readonly client_email: string;
  readonly private_key: string;
  /** Used with `rootUrl` only: where an emulator gives tokens. */
  readonly token_uri?: string;
}

/** Who the calls are made as. */
export type GoogleCredentials =
  | { readonly key: ServiceAccountKey }
  | { readonly keyFile: string }
  /** What the environment offers: `GOOGLE_APPLICATION_CREDENTIALS`, workload identity, the metadata server. */
  | { readonly applicationDefault: true }
  /** A token that does not change; for an emulator. */
  | { readonly accessToken: string };

export interface GoogleClientOptions {
  readonly auth: GoogleCredentials;
  /** The user to act as, by domain-wide delegation of a service account whose key is given. */
  readonly subject?: string;
  /**
   * Default: `drive.file`, the files that this application made itself. With a `folderId` of a shared drive the whole
   * `drive` is needed.
   */
  readonly scopes?: readonly string[];
  /** Where an emulator listens; default Google. To this machine no proxy is used, whatever `HTTPS_PROXY` says. */
  readonly rootUrl?: string;
}

/** Google's own client libraries. */
export interface GoogleApis {
  readonly drive: drive_v3.Drive;
  readonly sheets: sheets_v4.Sheets;
}

export interface GoogleClient {
  /** Makes one call. When its access token is no longer taken (401), it gets a new one and makes the call again, once. */
  call<T>(make: (apis: GoogleApis) => Promise<T>): Promise<T>;
}

const CREDENTIALS: readonly string[] = ['key', 'keyFile', 'applicationDefault', 'accessToken'];
const DRIVE_FILE_SCOPE = 'https://www.googleapis.com/auth/drive.file';
export const DRIVE_SCOPE = 'https://www.googleapis.com/auth/drive';
/** How long a request for a token may take, in ms: all calls wait for it. */
const TOKEN_TIMEOUT_MS = 15_000;
const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token';

/**
 * Sets up Google's libraries so that nothing in them tries again by itself: `withBackoff` is the only one who does.
 * @throws Error when a key file cannot be read or is not a service account's key
 * @throws InvalidInputError for credentials of another form, or a `subject` without a key
 */
export function googleClient(options: GoogleClientOptions): GoogleClient {
  let current = googleApis(options);
  return {
    async call(make) {
      const apis = current;
      try {
        return await make(apis);
      } catch (error) {
        if (!isUnauthorized(error) || 'accessToken' in options.auth) throw error;
        // google-auth-library keeps a token until its hour is over, also with forceRefreshOnFailure (jwtclient.js, 11.3.4):
        // only a new client asks for a new one. Of several calls that fail together the first makes it.
        if (current === apis) current = googleApis(options);
        return make(current);
      }
    },
  };
}

function googleApis(options: GoogleClientOptions): GoogleApis {
  const { rootUrl } = options;
  const auth = authFor(options);
  const common = {
    auth,
    retry: false,
    ...(rootUrl !== undefined && { rootUrl }),
    ...(rootUrl !== undefined && isHere(rootUrl) && { noProxy: [new URL(rootUrl)] }),
  };
  return { drive: drive({ version: 'v3', ...common }), sheets: sheets({ version: 'v4', ...common }) };
}

/** Whether it is an address of this machine: no proxy leads there, though gaxios (8.3.3) would ask that of `HTTPS_PROXY`. */
function isHere(url: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
}

function isUnauthorized(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'status' in error && error.status === 401;
}

function authFor(options: GoogleClientOptions): OAuth2Client | GoogleAuth {
  const { auth, subject, rootUrl } = options;
  const scopes = [...(options.scopes ?? [DRIVE_FILE_SCOPE])];
  const kinds = Object.keys(Object(auth)).filter((name) => CREDENTIALS.includes(name));
  if (kinds.length !== 1)
    throw new InvalidInputError(`auth must have one of ${CREDENTIALS.join(', ')}: { keyFile: 'key.json' }.`);
  if (subject !== undefined && !('key' in auth || 'keyFile' in auth)) {
    throw new InvalidInputError('A subject needs the key of a service account: auth.key or auth.keyFile.');
  }
  if ('accessToken' in auth) {
    const client = new OAuth2Client({ transporter: transporter() });
    client.setCredentials({ access_token: auth.accessToken });
    return client;
  }
  if ('applicationDefault' in auth) {
    return new GoogleAuth({
      scopes,
      clientOptions: { transporter: transporter() },
    });
  }
  const key = 'key' in auth ? auth.key : readKeyFile(auth.keyFile);
  return new JWT({
    email: key.client_email,
    key: key.private_key,
    scopes,
    transporter: transporter(rootUrl === undefined ? undefined : key.token_uri),
    ...(subject !== undefined && { subject }),
  });
}

/**
 * The transport under the authentication. google-auth-library retries token requests on its own account, lets them take for ever, and
 * makes them at Google's address whatever the key's `token_uri` says (getToken.js, 11.3.4): all three are turned round here.
 */
function transporter(tokenUrl?: string): gaxios.Gaxios {
  const transport = new gaxios.Gaxios();
  transport.interceptors.request.add({
    resolved: async (request) => {
      request.retry = false;
      // The calls themselves bring a signal.
      request.signal ??= AbortSignal.timeout(TOKEN_TIMEOUT_MS);
      // The token may have come too late. A request with a body that is aborted before it is sent ends the process: nobody
      // listens to the body's error yet (node-fetch 3.3.2).
      request.signal.throwIfAborted();
      request.retryConfig = { ...request.retryConfig, retry: 0, noResponseRetries: 0 };
      if (tokenUrl !== undefined && String(request.url) === GOOGLE_TOKEN_URL) {
        request.url = new URL(tokenUrl);
        if (isHere(tokenUrl)) delete request.agent;
      }
      return request;
    },
  });
  transport.interceptors.response.add({
    resolved: async (response) => {
      // Without a token in it the libraries would call the API as nobody, which is refused for good.
      if (String(response.config.url) === (tokenUrl ?? GOOGLE_TOKEN_URL))
        googlesAnswer(TokenAnswer, response.data);
      return response;
    },
  });
  return transport;
}

function readKeyFile(path: string): ServiceAccountKey {
  const value = parsed(path, readText(path));
  if (isKey(value)) return value;
  throw new Error(
    `The key file ${path} is not the key of a service account: it has no client_email and private_key.`,
  );
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const code = Object(cause).code ?? String(cause);
    throw new Error(`The key file ${path} cannot be read (${code}).`, { cause });
  }
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Without the cause, which quotes the file.
    throw new Error(`The key file ${path} is not JSON.`);
  }
}

function isKey(value: unknown): value is ServiceAccountKey {
  return (
    typeof value === 'object' &&
    value !== null &&
    'client_email' in value &&
    typeof value.client_email === 'string' &&
    'private_key' in value &&
    typeof value.private_key === 'string'
  );
}
