import { InvalidInputError } from './errors.js';
import { jobError } from './job/job-error.js';
import { attempt } from './thenable.js';

/**
 * Rowlock's log. A pino logger fits as it is: a thrown error is under `err`, which pino shows with its stack. Under
 * `error` is the error as a job's row keeps it.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const silent = (): void => {};

/** Whether a level has no output, so that its entries need not be made. */
export function isSilent(level: Logger[keyof Logger]): boolean {
  return level === silent;
}

/** The default: only warnings and errors, to standard error. */
export const consoleLogger: Logger = {
  debug: silent,
  info: silent,
  warn: (fields, message) => console.warn(`rowlock: ${message}`, fields),
  error: (fields, message) => console.error(`rowlock: ${message}`, fields),
};

/**
 * A logger like `log` that never throws when it is called, nor leaves a rejection that ends the process. An entry that cannot be logged is
 * logged again, with its error as a job's row keeps it. A handler may throw anything, even an object whose getter throws.
 */
export function unfailing(log: Logger): Logger {
  const write = (level: keyof Logger): Logger[keyof Logger] => {
    if (typeof Object(log)[level] !== 'function')
      throw new InvalidInputError(`log must have the function ${level}, as that of a pino logger.`);
    if (isSilent(log[level])) return silent;
    return (fields, message) =>
      attempt(
        () => log[level](fields, message),
        // A logger that fails does not stop a worker.
        () => attempt(() => log[level]({ ...fields, ...legible(fields) }, message), silent),
      );
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** An entry's error in the form that a job's row keeps. */
function legible(fields: object): object {
  return 'err' in fields ? { err: jobError(fields.err) } : {};
}

/** A logger whose entries have these fields, too. */
export function withFields(log: Logger, base: object): Logger {
  return {
    debug: (fields, message) => log.debug({ ...base, ...fields }, message),
    info: (fields, message) => log.info({ ...base, ...fields }, message),
    warn: (fields, message) => log.warn({ ...base, ...fields }, message),
    error: (fields, message) => log.error({ ...base, ...fields }, message),
  };
}
