import { Problem } from './problem.js';

/**
 * Refuses what a page of another site has a browser send. Browsers set `Sec-Fetch-Site` and `Origin` themselves. On plain
 * http the first one is missing. A page of another site cannot set `X-Forwarded-Host` either.
 *
 * @throws Problem 403
 */
export function requireOwnPage({ headers, url }: Request): void {
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  const hosts = [headers.get('host') ?? new URL(url).host, headers.get('x-forwarded-host')];
  const isOwn =
    site !== null
      ? site === 'same-origin'
      : origin === null || (URL.canParse(origin) && hosts.includes(new URL(origin).host));
  if (!isOwn) throw new Problem(403, 'This request came from another site.');
}
