import { Problem } from './problem.js';

/**
 * Refuses what a page of another site has a browser send. Browsers set `Sec-Fetch-Site` and `Origin` themselves. On plain
 * http the first one is missing. A page of another site cannot set the headers of proxies either.
 *
 * @throws Problem 403
 */
export function requireOwnPage(request: Request): void {
  const { headers } = request;
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  const isOwn = site !== null ? site === 'same-origin' : origin === null || isOwnOrigin(origin, request);
  if (!isOwn) throw new Problem(403, 'This request came from another site.');
}

function isOwnOrigin(origin: string, { headers, url }: Request): boolean {
  const { protocol, host: own } = URL.canParse(origin) ? new URL(origin) : { protocol: '', host: '' };
  // A file has no host, and an extension of the browser may have any.
  if (!/^https?:$/.test(protocol)) return false;
  const hosts = [
    headers.get('host') ?? new URL(url).host,
    ...listOf(headers.get('x-forwarded-host')),
    ...hostsIn(headers.get('forwarded') ?? ''),
  ];
  // A proxy may name the port apart from the host, which may have the one of another proxy.
  const ports = listOf(headers.get('x-forwarded-port'));
  const all = hosts.flatMap((host) => [host, ...ports.map((port) => `${host.replace(/:\d+$/, '')}:${port}`)]);
  return all.map(withoutDefaultPort).includes(withoutDefaultPort(own));
}

/** Each proxy may have added a value. */
function listOf(header: string | null): readonly string[] {
  return (header ?? '').split(',').map((value) => value.trim());
}

/** The hosts in a header `Forwarded`, whose values may be quoted: RFC 7239. */
function hostsIn(forwarded: string): readonly string[] {
  const pairs = forwarded.matchAll(/([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))/g);
  return [...pairs].flatMap(([, name = '', quoted, plain = '']) =>
    name.toLowerCase() === 'host' ? [quoted?.replaceAll(/\\(.)/g, '$1') ?? plain] : [],
  );
}

/** Proxies write the port of http or https where browsers leave it out. */
function withoutDefaultPort(host: string): string {
  return host.toLowerCase().replace(/:(?:80|443)$/, '');
}
