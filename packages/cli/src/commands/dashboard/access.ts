import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Access, Grant } from '@rowlock/dashboard';

/** A dashboard for whoever has the printed address. */
export interface TokenAccess {
  readonly access: Access;
  /** The query of the address that opens the dashboard. */
  readonly query: string;
}

/**
 * The address has a random token. A cookie takes its place at the first request, so that no other address has it.
 *
 * @param cookie The cookie's name. Browsers send a cookie to all ports of a host, so each port has its own.
 */
export function tokenAccess(cookie: string, grant: Grant): TokenAccess {
  const token = randomBytes(24).toString('base64url');
  return {
    query: `token=${token}`,
    access: ({ url, headers }) => {
      const given = new URL(url).searchParams.get('token');
      if (given !== null && isSame(given, token)) return entered(cookie, token);
      return isSame(cookieIn(headers, cookie), token) ? grant : refused(headers);
    },
  };
}

function entered(cookie: string, token: string): Response {
  return new Response(null, {
    status: 303,
    headers: {
      // Relative, as a proxy may have a path in front.
      location: './',
      'set-cookie': `${cookie}=${token}; HttpOnly; SameSite=Lax; Path=/`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    },
  });
}

function refused(headers: Headers): Response {
  const detail = 'Open the address that `rowlock dashboard` has printed.';
  return (headers.get('accept') ?? '').includes('text/html')
    ? new Response(`${detail}\n`, { status: 403, headers: { 'content-type': 'text/plain; charset=utf-8' } })
    : Response.json({ status: 403, detail }, { status: 403 });
}

function cookieIn(headers: Headers, name: string): string {
  const pairs = (headers.get('cookie') ?? '').split(/; */);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/** Takes the same time for all texts. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
