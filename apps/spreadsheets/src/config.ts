import { readFileSync } from 'node:fs';
import {
  ConfigError,
  databaseUrl,
  HTTP,
  type LogLevel,
  logLevel,
  url,
  whole,
  withoutEmpty,
} from '@rowlock/app-shared';
import { z } from 'zod';

/** What the front end and the workers are told by their environment. */
export interface Config {
  readonly databaseUrl: string;
  /** Where users reach the front end, without a slash at its end. */
  readonly publicUrl: string;
  readonly logLevel: LogLevel;
  /** `nowhere` for all but workers. */
  readonly google: GoogleConfig;
  readonly web: WebConfig;
  readonly worker: WorkerConfig;
  /** How long a stopping process waits for what it has begun, in milliseconds. */
  readonly drainMs: number;
}

export interface WebConfig {
  readonly host: string;
  readonly port: number;
  readonly auth: AuthConfig;
  /** How many requests one user may make in a minute. */
  readonly requestsPerMinute: number;
  /** How many proxies stand in front, whose `X-Forwarded-*` headers are believed. */
  readonly trustedProxies: number;
  /** The ids of those who may use the dashboard. In the demo all users may. */
  readonly operators: readonly string[] | 'all';
}

/** Who signs the tokens: an identity provider, or this process itself with the demo's sign-in page. */
export type AuthConfig =
  | { readonly by: 'provider'; readonly jwksUrl: string; readonly issuer: string; readonly audience: string }
  | { readonly by: 'demo' };

/** Google itself with its credentials, or a server that stands in for it. */
export type GoogleConfig =
  | GoogleItself
  | { readonly at: 'emulator'; readonly rootUrl: string }
  | { readonly at: 'nowhere' };

interface GoogleItself {
  readonly at: 'google';
  readonly credentials: GoogleCredentials;
  /** Where new spreadsheets go; without it into the own Drive of whoever the calls are made as. */
  readonly folderId: string | undefined;
  /** The user as whom the service account acts. */
  readonly subject: string | undefined;
}

export type GoogleCredentials =
  | { readonly file: string }
  | { readonly account: { readonly clientEmail: string; readonly privateKey: string } };

export interface WorkerConfig {
  readonly name: string | undefined;
  /** How many jobs one worker process runs at the same time. */
  readonly concurrency: number;
  /** How it keeps them while it runs them. */
  readonly claim: 'hold' | 'lease';
}

/**
 * Reads and checks the environment.
 *
 * @throws ConfigError that lists every mistake.
 */
export function readConfig(env: NodeJS.ProcessEnv, role: Role): Config {
  const given = withoutEmpty(env);
  const read = Environment.safeParse(given);
  const mistakes = [
    ...(read.error?.issues ?? []).map(({ message }) => message),
    ...contradictions(given, role),
  ];
  if (!read.success || mistakes.length > 0) throw new ConfigError(mistakes);
  return configOf(read.data, role);
}

/** The front end must be able to tell users apart, a worker to reach Google. */
export type Role = 'web' | 'worker' | 'migration';

const yesOrNo = (name: string) =>
  z
    .enum(['1', 'true', '0', 'false'], { error: `${name} must be 1 or 0.` })
    .transform((value) => value === '1' || value === 'true')
    .default(false);

const Environment = z.object({
  DATABASE_URL: databaseUrl,
  HOST: z.string().default('127.0.0.1'),
  PORT: whole('PORT', 0, 65_535, 3000),
  PUBLIC_URL: url('PUBLIC_URL', HTTP, 'https://sheets.example.com').optional(),
  LOG_LEVEL: logLevel,
  JWKS_URL: url('JWKS_URL', HTTP, 'https://id.example.com/jwks.json').optional(),
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: z.string().optional(),
  DEMO_SIGN_IN: yesOrNo('DEMO_SIGN_IN'),
  REQUESTS_PER_MINUTE: whole('REQUESTS_PER_MINUTE', 1, 1_000_000, 600),
  TRUSTED_PROXIES: whole('TRUSTED_PROXIES', 0, 10, 0),
  OPERATORS: z.string().default(''),
  GOOGLE_APPLICATION_CREDENTIALS: z.string().optional(),
  GOOGLE_CREDENTIALS_JSON: z.string().transform(readServiceAccount).optional(),
  GOOGLE_ROOT_URL: url('GOOGLE_ROOT_URL', HTTP, 'http://127.0.0.1:4000/').optional(),
  GOOGLE_DRIVE_FOLDER_ID: z
    .string()
    .regex(/^[\w-]+$/, {
      error: "GOOGLE_DRIVE_FOLDER_ID must be the last part of the folder's address, and no more of it.",
    })
    .optional(),
  GOOGLE_SUBJECT: z
    .email({ error: 'GOOGLE_SUBJECT must be the e-mail address of the user to act as.' })
    .optional(),
  WORKER_NAME: z
    .string()
    .regex(/^[\w.-]{1,64}$/, {
      error: 'WORKER_NAME must have 1 to 64 letters, digits, dots, dashes or underscores.',
    })
    .optional(),
  WORKER_CONCURRENCY: whole('WORKER_CONCURRENCY', 1, 99, 5),
  WORKER_CLAIM: z.enum(['hold', 'lease'], { error: 'WORKER_CLAIM must be hold or lease.' }).default('hold'),
  DRAIN_SECONDS: whole('DRAIN_SECONDS', 1, 3600, 20),
});

/** What is wrong between variables, each of which may be right by itself. */
function contradictions(env: NodeJS.ProcessEnv, role: Role): string[] {
  const mistakes: string[] = [];
  const provider = PROVIDER.filter((name) => env[name] !== undefined);
  const demo = env.DEMO_SIGN_IN === '1' || env.DEMO_SIGN_IN === 'true';
  if (provider.length > 0 && provider.length < PROVIDER.length) {
    mistakes.push('JWKS_URL, JWT_ISSUER and JWT_AUDIENCE belong together: set all three of them.');
  }
  if (provider.length > 0 && demo) {
    mistakes.push('DEMO_SIGN_IN lets anybody in, so it cannot be set together with an identity provider.');
  }
  if (role === 'web' && provider.length === 0 && !demo) {
    mistakes.push(
      'Nobody could sign in. Set JWKS_URL, JWT_ISSUER and JWT_AUDIENCE, or DEMO_SIGN_IN=1 to let anybody in by name.',
    );
  }
  const google = GOOGLE.filter((name) => env[name] !== undefined);
  if (google.length > 1) mistakes.push(`Set only one of ${google.join(' and ')}.`);
  if (role === 'worker' && google.length === 0) {
    mistakes.push(`There is no way to reach Google. Set one of ${GOOGLE.join(', ')}.`);
  }
  if (role === 'worker') mistakes.push(...mistakesInKey(env.GOOGLE_APPLICATION_CREDENTIALS));
  const place = PLACE.filter((name) => env[name] !== undefined);
  if (place.length > 0 && env.GOOGLE_ROOT_URL !== undefined) {
    mistakes.push(
      `${place.join(' and ')} ${place.length > 1 ? 'are' : 'is'} for Google itself: set the credentials of a service account, and no GOOGLE_ROOT_URL.`,
    );
  }
  return mistakes;
}

const PROVIDER = ['JWKS_URL', 'JWT_ISSUER', 'JWT_AUDIENCE'];
/** The ways to Google: one of them. */
export const GOOGLE = ['GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CREDENTIALS_JSON', 'GOOGLE_ROOT_URL'];
const PLACE = ['GOOGLE_DRIVE_FOLDER_ID', 'GOOGLE_SUBJECT'];

const ServiceAccount = z.object({ client_email: z.string().min(1), private_key: z.string().min(1) });

function readServiceAccount(text: string, context: z.RefinementCtx<string>) {
  try {
    const { client_email: clientEmail, private_key: privateKey } = ServiceAccount.parse(JSON.parse(text));
    return { clientEmail, privateKey };
  } catch {
    // The error's own message would quote the secret.
    context.addIssue({
      code: 'custom',
      message:
        'GOOGLE_CREDENTIALS_JSON must be the JSON of a service account, with client_email and private_key.',
    });
    return z.NEVER;
  }
}

/** Without its name: somebody may have put the key itself into the variable. */
function mistakesInKey(file: string | undefined): string[] {
  if (file === undefined) return [];
  const must = 'GOOGLE_APPLICATION_CREDENTIALS must name a file';
  try {
    ServiceAccount.parse(JSON.parse(readFileSync(file, 'utf8')));
    return [];
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [`${must} that can be read (${error.code}).`];
    return [`${must} with the JSON of a service account, with client_email and private_key.`];
  }
}

function configOf(env: z.output<typeof Environment>, role: Role): Config {
  return {
    databaseUrl: env.DATABASE_URL,
    publicUrl: (env.PUBLIC_URL ?? `http://localhost:${env.PORT}`).replace(/\/+$/, ''),
    logLevel: env.LOG_LEVEL,
    google: role === 'worker' ? googleOf(env) : { at: 'nowhere' },
    web: {
      host: env.HOST,
      port: env.PORT,
      auth: authOf(env),
      requestsPerMinute: env.REQUESTS_PER_MINUTE,
      trustedProxies: env.TRUSTED_PROXIES,
      operators: operatorsOf(env),
    },
    worker: { name: env.WORKER_NAME, concurrency: env.WORKER_CONCURRENCY, claim: env.WORKER_CLAIM },
    drainMs: env.DRAIN_SECONDS * 1000,
  };
}

function googleOf(env: z.output<typeof Environment>): GoogleConfig {
  if (env.GOOGLE_ROOT_URL !== undefined) return { at: 'emulator', rootUrl: env.GOOGLE_ROOT_URL };
  const credentials = credentialsOf(env);
  if (credentials === undefined) return { at: 'nowhere' };
  return { at: 'google', credentials, folderId: env.GOOGLE_DRIVE_FOLDER_ID, subject: env.GOOGLE_SUBJECT };
}

function credentialsOf(env: z.output<typeof Environment>): GoogleCredentials | undefined {
  const { GOOGLE_CREDENTIALS_JSON: account, GOOGLE_APPLICATION_CREDENTIALS: file } = env;
  if (account !== undefined) return { account };
  return file === undefined ? undefined : { file };
}

/** In the demo everybody is one, as anybody gets in by any name. */
function operatorsOf(env: z.output<typeof Environment>): readonly string[] | 'all' {
  if (authOf(env).by === 'demo') return 'all';
  return env.OPERATORS.split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

function authOf(env: z.output<typeof Environment>): AuthConfig {
  const { JWKS_URL: jwksUrl, JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = env;
  if (jwksUrl === undefined || issuer === undefined || audience === undefined) return { by: 'demo' };
  return { by: 'provider', jwksUrl, issuer, audience };
}
