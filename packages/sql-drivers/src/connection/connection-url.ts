import { InvalidInputError } from '@rowlock/core';

interface UrlOption {
  /** What the URL was passed as. */
  readonly name: string;
  /** What such a URL looks like. */
  readonly example: string;
  /** Whether the client decodes its parts, and so refuses a plain percent sign. */
  readonly isDecoded?: boolean;
  /** What such a URL of another database begins with, and the package that has its driver. */
  readonly other?: { readonly protocols: readonly string[]; readonly driver: string };
}

/**
 * Parses the URL of a database, in which a password may be. Refuses a URL that could be read in another way than was
 * meant: a part of the password would be taken for a host or a database, and an error would show it.
 *
 * @throws InvalidInputError, without the text and without a cause
 */
export function connectionUrl(text: string, { name, example, isDecoded = false, other }: UrlOption): URL {
  const [, authority, rest = ''] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)(.*)$/is.exec(text.trim()) ?? [];
  // Behind a user, a value of the query may have an @. Otherwise it may be that of a password with a question mark.
  const [place = ''] = authority?.includes('@') ? rest.split('?') : [rest];
  const isPlain = authority !== undefined && !place.includes('@') && !rest.includes('#');
  const url = isPlain ? parsed(text, isDecoded) : null;
  if (other?.protocols.includes(url?.protocol ?? ''))
    throw new InvalidInputError(`${name} is of another database, whose driver is in ${other.driver}.`);
  if (url !== null) return url;
  throw new InvalidInputError(
    `${name} cannot be read. It is ${example}, and what is special in the password is percent-encoded: encodeURIComponent() does that.`,
  );
}

function parsed(text: string, isDecoded: boolean): URL | null {
  try {
    // A user without a host, as with a socket in the query, is parsed by node-postgres alone.
    const url = new URL(URL.canParse(text) ? text : text.replace('@/', '@localhost/'));
    if (isDecoded) decodeURIComponent(url.username + url.password + url.hostname + url.pathname);
    return url;
  } catch {
    return null;
  }
}

/** The usual names of parameters for TLS, of clients of both databases and of ORMs, in small letters, without `-` and `_`. */
const TLS_NAMES: ReadonlySet<string> = new Set(
  (
    'ssl sslmode usessl requiressl sslaccept sslca sslcert sslkey sslidentity sslrootcert sslcrl sslpassword sslverify ' +
    'sslminprotocolversion sslmaxprotocolversion tls tlsversion tlsca tlsmode'
  ).split(' '),
);

/** How a message names a parameter for TLS of a URL's query. A name that is not usual may be the end of a password with an `&` in it. */
export function tlsNamed(name: string): string {
  return TLS_NAMES.has(name.replaceAll(/[-_]/g, '').toLowerCase()) ? `by '${name}'` : 'of TLS';
}
