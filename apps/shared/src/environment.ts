import { z } from 'zod';
import { LOG_LEVELS } from './log.js';

/** The environment is wrong. The message has one line for each mistake, and never a value that may be a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly mistakes: readonly string[]) {
    super(['The environment is not right:', ...mistakes.map((mistake) => `  - ${mistake}`)].join('\n'));
  }
}

/** What `read` returns, or the end of the process with a list of what is wrong in its environment. */
export function configOrExit<Config>(read: () => Config): Config {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

/** A variable that is empty is not set. */
export function withoutEmpty(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim() !== ''));
}

/** A variable that is a URL. */
export const url = (name: string, protocols: readonly string[], example: string) =>
  z
    .string({ error: `${name} is missing. Set it to, for example, ${example}.` })
    .refine((value) => protocols.includes(protocolOf(value)), {
      error: `${name} must be a URL that starts with ${either(protocols.map((each) => `${each}//`))}.`,
    });

/** A variable that is a whole number. */
export const whole = (name: string, least: number, most: number, otherwise: number) =>
  z
    .string()
    .refine((text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most, {
      error: `${name} must be a whole number from ${least} to ${most}.`,
    })
    .transform(Number)
    .default(otherwise);

export const HTTP: readonly string[] = ['http:', 'https:'];

const DATABASES: readonly string[] = ['postgres:', 'postgresql:', 'mysql:'];

/** A variable that is the URL of a database. */
export const urlOfDatabase = (name: string) =>
  url(name, DATABASES, 'postgres://user@localhost:5432/app').refine(namesDatabase, {
    error: `${name} must end with the name of a database, for example mysql://user@localhost:3306/app.`,
    when: ({ issues }) => issues.length === 0,
  });

/** `DATABASE_URL`. */
export const databaseUrl = urlOfDatabase('DATABASE_URL');

/** `LOG_LEVEL`. */
export const logLevel = z
  .enum(LOG_LEVELS, { error: `LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}.` })
  .default('info');

/** Postgres takes the user's name for the database's if there is none; MySQL would go on without any. */
function namesDatabase(text: string): boolean {
  return protocolOf(text) !== 'mysql:' || new URL(text).pathname.length > 1;
}

export function protocolOf(text: string): string {
  return URL.canParse(text) ? new URL(text).protocol : '';
}

function either(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), words.at(-1)].join(' or ');
}
