import { type Logger, pino } from 'pino';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One JSON line for each event, without tokens and cookies. */
export function createLog(name: string, level: LogLevel): Logger {
  const redact = ['req.headers.authorization', 'req.headers.cookie', '*.connectionString', '*.password'];
  // Without `sync` pino writes what is left at the end of the process, again and again for ever when nobody reads it.
  return pino({ name, level, redact }, pino.destination({ dest: 1, sync: true }));
}
