import { InvalidInputError } from '@rowlock/core';
import type { SslOptions } from 'mysql2/promise';

/**
 * A `uri` that can be read, as the client will read it.
 *
 * @throws InvalidInputError, without the text: there is a password in it.
 */
export function readUri(uri: string): URL {
  try {
    const url = new URL(uri);
    for (const part of [url.username, url.password, url.hostname, url.pathname]) decodeURIComponent(part);
    return url;
  } catch {
    throw new InvalidInputError(
      'The `uri` cannot be read. It is mysql://user:password@host:3306/database, and what is special in the password is ' +
        'percent-encoded: encodeURIComponent() does that.',
    );
  }
}

/** The text for the client, which takes options out of the query: not these, nor what is said of TLS in other words than its own. */
export function withoutOptions({ href }: URL, names: readonly string[]): string {
  const url = new URL(href);
  const left = (name: string): boolean => names.includes(name) || isMode(name);
  for (const name of [...url.searchParams.keys()].filter(left)) url.searchParams.delete(name);
  return url.href;
}

/** What MySQL's own clients do at each `ssl-mode`. Theirs that prefers TLS goes on without it, which this one cannot. */
const MODES: Readonly<Record<string, { readonly ssl?: SslOptions }>> = {
  DISABLED: {},
  REQUIRED: { ssl: { rejectUnauthorized: false } },
  VERIFY_CA: { ssl: { rejectUnauthorized: true } },
  VERIFY_IDENTITY: { ssl: { rejectUnauthorized: true, verifyIdentity: true } },
};

/**
 * How the connection is encrypted, where the query says so in words that `mysql2` does not know: it would connect without.
 *
 * @throws InvalidInputError for what is not understood
 */
export function sslOf({ searchParams }: URL): { readonly ssl?: SslOptions } {
  let found: { readonly ssl?: SslOptions } = {};
  for (const [name, value] of searchParams) {
    const known = isMode(name) ? MODES[value.toUpperCase()] : {};
    if (known === undefined || (!isMode(name) && name !== 'ssl' && /ssl|tls/i.test(name)))
      throw new InvalidInputError(
        `What the query of the \`uri\` says by '${name}' is not understood. \`ssl-mode\` may be ${Object.keys(MODES).join(', ')}; for more pass ` +
          'the option `ssl`.',
      );
    if (isMode(name)) found = known;
  }
  return found;
}

/** As each of its writers spells it. */
function isMode(name: string): boolean {
  return /^ssl[-_]?mode$/i.test(name);
}
