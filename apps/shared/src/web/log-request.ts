import type { RequestHandler } from 'express';
import type { Logger } from 'pino';

/** One line for each request that was answered. */
export function logRequest(log: Logger): RequestHandler {
  return (req, res, next) => {
    const start = performance.now();
    // Mounting changes `req.path`.
    const { method, path } = req;
    res.once('close', () => {
      const ms = Math.round(performance.now() - start);
      log.info({ method, path, status: res.statusCode, ms, user: res.locals.user?.id }, 'request');
    });
    next();
  };
}
