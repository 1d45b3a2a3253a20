import { jobError } from './job/job-error.js';

/**
 * Where Rowlock tells what it does. A pino logger fits as it is: what was thrown is under `err`, which pino shows with its stack. Under
 * `error` is what a job's row keeps of it.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const silent = (): void => {};

/** Whether what is told so goes nowhere, and need not be put together. */
export function isSilent(level: Logger[keyof Logger]): boolean {
  return level === silent;
}

/** The default: only what somebody should act on, to standard error. */
export const consoleLogger: Logger = {
  debug: silent,
  info: silent,
  warn: (fields, message) => console.warn(`rowlock: ${message}`, fields),
  error: (fields, message) => console.error(`rowlock: ${message}`, fields),
};

/** The same, but what cannot be shown is told in other words: whatever handlers throw comes here, and a getter of it may throw in turn. */
export function unfailing(log: Logger): Logger {
  const tell = (level: keyof Logger): Logger[keyof Logger] => {
    if (isSilent(log[level])) return silent;
    return (fields, message) => {
      try {
        log[level](fields, message);
      } catch {
        tellInstead(log, level, fields, message);
      }
    };
  };
  return { debug: tell('debug'), info: tell('info'), warn: tell('warn'), error: tell('error') };
}

function tellInstead(log: Logger, level: keyof Logger, fields: object, message: string): void {
  try {
    log[level]({ ...fields, ...legible(fields) }, message);
  } catch {
    // A logger that throws is no reason to stop a worker.
  }
}

/** What may be somebody else's error. */
function legible(fields: object): object {
  return 'err' in fields ? { err: jobError(fields.err) } : {};
}
