/**
 * The path that proxies have taken off the front of a request's, as they say by `X-Forwarded-Prefix`. Several proxies may have
 * added a part each. Empty for none, and for what is no path of this host.
 */
export function prefixOf({ headers }: Request): string {
  const parts = (headers.get('x-forwarded-prefix') ?? '').split(',').map((part) => part.trim());
  const prefix = parts.map((part) => part.replace(/\/+$/, '')).join('');
  return PATH.test(prefix) ? prefix : '';
}

/** Names between single slashes, of characters that are also safe in HTML. */
const PATH = /^(?:\/[\w.~!$()*+;=:@%-]+)+$/;
