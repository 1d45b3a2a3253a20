import { Problem } from '@rowlock/app-shared/web';
import type { Request, RequestHandler } from 'express';
import { isFromOwnPage } from './same-origin.js';
import type { SessionCookie } from './session-cookie.js';
import type { VerifyToken } from './verify-token.js';

/** Lets a request pass that carries a valid token, as Bearer or in the page's cookie. */
export function authenticate(verify: VerifyToken, cookie: SessionCookie): RequestHandler {
  return async (req, res, next) => {
    const bearer = bearerOf(req);
    const token = bearer ?? cookie.read(req.headers.cookie);
    if (token === undefined) {
      throw new Problem(401, 'Sign in first, or send a token as "Authorization: Bearer …".', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    }
    // Browsers add cookies by themselves, so a cookie alone does not prove that our page asked.
    if (bearer === undefined && !isFromOwnPage(req)) {
      throw new Problem(403, 'This request came from another site.');
    }
    res.locals.user = await verify(token);
    next();
  };
}

function bearerOf({ headers: { authorization } }: Request): string | undefined {
  if (authorization === undefined) return undefined;
  const [, token] = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization) ?? [];
  if (token === undefined) throw new Problem(401, 'The Authorization header must be "Bearer" and a token.');
  return token;
}
