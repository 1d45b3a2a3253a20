import { ConfigError, databaseUrl, type LogLevel, logLevel, whole, withoutEmpty } from '@rowlock/app-shared';
import { z } from 'zod';

/** The settings of this application, from its environment. */
export interface Config {
  readonly databaseUrl: string;
  readonly logLevel: LogLevel;
  readonly host: string;
  readonly port: number;
  /** Whether there is a dashboard, for this machine alone. */
  readonly dashboard: boolean;
  readonly workerName: string | undefined;
  /** How many jobs one worker process runs at the same time. */
  readonly concurrency: number;
  /** How many orders the demo has. */
  readonly demoOrders: number;
  /** How much the old applications do in the demo. */
  readonly changesPerSecond: number;
  /** How long a stopping process waits for what it has begun, in milliseconds. */
  readonly drainMs: number;
}

/** @throws ConfigError that lists every mistake. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const read = Environment.safeParse(withoutEmpty(env));
  if (!read.success) throw new ConfigError(read.error.issues.map(({ message }) => message));
  const { data } = read;
  return {
    databaseUrl: data.DATABASE_URL,
    logLevel: data.LOG_LEVEL,
    host: data.HOST,
    port: data.PORT,
    dashboard: data.DASHBOARD === '1',
    workerName: data.WORKER_NAME,
    concurrency: data.WORKER_CONCURRENCY,
    demoOrders: data.DEMO_ORDERS,
    changesPerSecond: data.CHANGES_PER_SECOND,
    drainMs: data.DRAIN_SECONDS * 1000,
  };
}

const Environment = z.object({
  DATABASE_URL: databaseUrl,
  LOG_LEVEL: logLevel,
  HOST: z.string().default('127.0.0.1'),
  PORT: whole('PORT', 0, 65_535, 3200),
  DASHBOARD: z.enum(['0', '1'], { error: 'DASHBOARD must be 1 or 0.' }).default('0'),
  WORKER_NAME: z
    .string()
    .regex(/^[\w.-]{1,64}$/, {
      error: 'WORKER_NAME must have 1 to 64 letters, digits, dots, dashes or underscores.',
    })
    .optional(),
  WORKER_CONCURRENCY: whole('WORKER_CONCURRENCY', 1, 99, 5),
  DEMO_ORDERS: whole('DEMO_ORDERS', 10, 10_000_000, 20_000),
  CHANGES_PER_SECOND: whole('CHANGES_PER_SECOND', 1, 1_000, 2),
  DRAIN_SECONDS: whole('DRAIN_SECONDS', 1, 3600, 20),
});
