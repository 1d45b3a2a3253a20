import { Problem } from '@rowlock/app-shared/web';
import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { userOf } from './user.js';

/** Each user has so many requests a minute, counted by each front-end process for itself. */
export function limitUser(perMinute: number): RequestHandler {
  return limit(perMinute, (_req, res) => userOf(res).id);
}

/** For those who have no token yet. */
export function limitAddress(perMinute: number): RequestHandler {
  return limit(perMinute, (req) => ipKeyGenerator(req.ip ?? ''));
}

function limit(perMinute: number, keyOf: (req: Request, res: Response) => string): RequestHandler {
  return rateLimit({
    windowMs: 60_000,
    limit: perMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: keyOf,
    // `Retry-After` is set by then.
    handler: (_req, _res, next) => {
      next(new Problem(429, `More than ${perMinute} requests within a minute. Wait a little.`));
    },
  });
}
