import { inspect } from 'node:util';
import { Logger as NestLogger } from '@nestjs/common';
import { consoleLogger, type Logger } from '@rowlock/core';

/** Rowlock's log in that of the application, which `app.useLogger` may have replaced. Entries for debugging are left out. */
export function nestLogger(): Logger {
  const logger = new NestLogger('Rowlock');
  return {
    debug: consoleLogger.debug,
    info: (fields, message) => logger.log(line(fields, message)),
    warn: (fields, message) => logger.warn(line(fields, message)),
    error: (fields, message) => logger.error(line(fields, message)),
  };
}

function line(fields: object, message: string): string {
  return `${message} ${inspect(fields, { breakLength: Number.POSITIVE_INFINITY, depth: 4 })}`;
}
