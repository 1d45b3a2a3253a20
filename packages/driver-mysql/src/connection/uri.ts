import { InvalidInputError } from '@rowlock/core';
import { connectionUrl, tlsNamed } from '@rowlock/sql-drivers';
import type { SslOptions } from 'mysql2/promise';

/**
 * Parses a `uri` as the client will read it.
 *
 * @throws InvalidInputError, without the text: there is a password in it.
 */
export function readUri(uri: string): URL {
  return connectionUrl(uri, {
    name: 'The `uri`',
    example: 'mysql://user:password@host:3306/database',
    isDecoded: true,
    other: { protocols: ['postgres:', 'postgresql:'], driver: '@rowlock/driver-postgres' },
  });
}

/**
 * The `uri` for the client, which takes options from the query, with these options alone. The client would write the names of others to
 * the console, and such a name may be the end of a password with an `&` in it.
 */
export function withOptions({ href }: URL, names: readonly string[]): string {
  const url = new URL(href);
  for (const name of [...url.searchParams.keys()]) if (!names.includes(name)) url.searchParams.delete(name);
  return url.href;
}

/** The TLS options of each `ssl-mode` of MySQL's clients. PREFERRED falls back to no TLS, which this client does not support. */
const MODES: Readonly<Record<string, { readonly ssl?: SslOptions }>> = {
  DISABLED: {},
  REQUIRED: { ssl: { rejectUnauthorized: false } },
  VERIFY_CA: { ssl: { rejectUnauthorized: true } },
  VERIFY_IDENTITY: { ssl: { rejectUnauthorized: true, verifyIdentity: true } },
};

/**
 * The encryption of the connection, by parameters that `mysql2` ignores: it would connect without TLS.
 *
 * @throws InvalidInputError for an unknown parameter
 */
export function sslOf({ searchParams }: URL): { readonly ssl?: SslOptions } {
  let found: { readonly ssl?: SslOptions } = {};
  for (const [name, value] of searchParams) {
    const known = isMode(name) ? MODES[value.toUpperCase()] : {};
    if (known === undefined || (!isMode(name) && name !== 'ssl' && /ssl|tls/i.test(name)))
      throw new InvalidInputError(
        `What the query of the \`uri\` says ${tlsNamed(name)} is not understood. \`ssl-mode\` may be ${Object.keys(MODES).join(', ')}; for more pass ` +
          'the option `ssl`.',
      );
    if (isMode(name)) found = known;
  }
  return found;
}

/** Accepts the spellings of all of MySQL's clients. */
function isMode(name: string): boolean {
  return /^ssl[-_]?mode$/i.test(name);
}
