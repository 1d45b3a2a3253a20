import { DriverError } from '@rowlock/core';

/**
 * A `uri` that can be read, as the client will read it.
 *
 * @throws DriverError `InvalidInput`, without the text: there is a password in it.
 */
export function readUri(uri: string): URL {
  try {
    const url = new URL(uri);
    for (const part of [url.username, url.password, url.hostname, url.pathname]) decodeURIComponent(part);
    return url;
  } catch {
    throw new DriverError(
      'InvalidInput',
      'The `uri` cannot be read. It is mysql://user:password@host:3306/database, and what is special in the password is ' +
        'percent-encoded: encodeURIComponent() does that.',
    );
  }
}
