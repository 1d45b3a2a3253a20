import { type Logger, pino } from 'pino';
import type { LogLevel } from './config.js';

/** One JSON line for each event, without tokens and cookies. */
export function createLog(name: string, level: LogLevel): Logger {
  return pino({
    name,
    level,
    redact: ['req.headers.authorization', 'req.headers.cookie', '*.connectionString', '*.password'],
  });
}
