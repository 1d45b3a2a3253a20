import { Problem } from '@rowlock/app-shared/web';
import express, { type Request, type Response, type Router } from 'express';
import { z } from 'zod';
import { jsonBody } from '../json-body.js';
import { parseBody } from '../parse-body.js';
import { requireOwnPage } from '../same-origin.js';
import type { SessionCookie } from '../session-cookie.js';
import type { VerifyToken } from '../verify-token.js';
import type { Session } from '../views.js';

const SignIn = z.strictObject({ token: z.string().min(1).max(4_000) });

/** Brings a token into the page's cookie, and out of it. */
export function sessionRoutes(verify: VerifyToken, cookie: SessionCookie, signIn: Session['signIn']): Router {
  const routes = express.Router();

  routes.get('/session', async (req: Request, res: Response<Session>) => {
    const token = cookie.read(req.headers.cookie);
    const user = token === undefined ? undefined : await verify(token).catch(nobody);
    res.json({
      signIn,
      user: user === undefined ? null : { name: user.name, until: user.until.toISOString() },
    });
  });

  routes.post('/session', requireOwnPage, jsonBody(), async (req: Request, res: Response<Session>) => {
    const { token } = parseBody(SignIn, req.body);
    const { name, until } = await verify(token);
    cookie.write(res, token, until);
    res.json({ signIn, user: { name, until: until.toISOString() } });
  });

  routes.delete('/session', requireOwnPage, (_req, res) => {
    cookie.clear(res);
    res.status(204).end();
  });

  return routes;
}

/** Who cannot be checked now may be signed in all the same. */
function nobody(error: unknown): undefined {
  if (!(error instanceof Problem) || error.status !== 401) throw error;
}
