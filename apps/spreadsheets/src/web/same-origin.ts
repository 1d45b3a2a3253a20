import { Problem } from '@rowlock/app-shared/web';
import type { Request, RequestHandler } from 'express';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether a request only reads, or a browser says that a page of this very origin made it. Browsers set both
 * headers themselves and let no script change them; `Sec-Fetch-Site` is missing on plain http away from localhost.
 */
export function isFromOwnPage(req: Request): boolean {
  if (SAFE_METHODS.has(req.method)) return true;
  const site = req.get('Sec-Fetch-Site');
  if (site !== undefined) return site === 'same-origin';
  const origin = req.get('Origin') ?? '';
  return URL.canParse(origin) && new URL(origin).host === req.get('Host');
}

/** For what needs no token but sets or clears the cookie. */
export const requireOwnPage: RequestHandler = (req, _res, next) => {
  if (!isFromOwnPage(req)) throw new Problem(403, 'This request came from another site.');
  next();
};
