import { ConfigError, type LogLevel, logLevel, urlOfDatabase, withoutEmpty } from '@rowlock/app-shared';
import { z } from 'zod';

/** The settings of this application, from its environment. */
export interface Config {
  readonly sourceUrl: string;
  readonly targetUrl: string;
  readonly logLevel: LogLevel;
}

/** @throws ConfigError that lists every mistake. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const read = Environment.safeParse(withoutEmpty(env));
  if (!read.success) throw new ConfigError(read.error.issues.map(({ message }) => message));
  const { data } = read;
  return { sourceUrl: data.SOURCE_URL, targetUrl: data.TARGET_URL, logLevel: data.LOG_LEVEL };
}

const Environment = z.object({
  SOURCE_URL: urlOfDatabase('SOURCE_URL'),
  TARGET_URL: urlOfDatabase('TARGET_URL'),
  LOG_LEVEL: logLevel,
});
