/** Where Rowlock tells what it does. A pino logger fits as it is. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const silent = (): void => {};

/** The default: only what somebody should act on, to standard error. */
export const consoleLogger: Logger = {
  debug: silent,
  info: silent,
  warn: (fields, message) => console.warn(`rowlock: ${message}`, fields),
  error: (fields, message) => console.error(`rowlock: ${message}`, fields),
};
