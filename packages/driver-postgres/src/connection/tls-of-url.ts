import { InvalidInputError } from '@rowlock/core';
import { tlsNamed } from '@rowlock/sql-drivers';

/** What node-postgres reads about TLS in a URL's query, and the values that mean something to it. An empty list means any. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  sslmode: ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'],
  ssl: ['true', '1', '0', 'no-verify'],
  sslcert: [],
  sslkey: [],
  sslrootcert: [],
  sslnegotiation: [],
};

/** The words that replace the option `ssl`. */
const REPLACING: ReadonlySet<string> = new Set(['sslmode', 'ssl', 'sslcert', 'sslkey', 'sslrootcert']);

/**
 * Refuses what node-postgres passes over: a word that is misspelt, with which it connects without TLS, and an option beside a word.
 *
 * @throws InvalidInputError, without the values
 */
export function checkTlsOf({ searchParams }: URL, ssl: unknown): void {
  for (const [name, value] of searchParams) {
    const values = WORDS[name];
    const isKnown =
      values === undefined ? !/ssl|tls/i.test(name) : values.length === 0 || values.includes(value);
    if (!isKnown)
      throw new InvalidInputError(
        `What the query of the \`connectionString\` says ${tlsNamed(name)} is not understood. \`sslmode\` may be ` +
          `${WORDS.sslmode?.join(', ')}; for more pass the option \`ssl\`.`,
      );
    if (ssl !== undefined && REPLACING.has(name))
      throw new InvalidInputError(
        `The option \`ssl\` has no effect beside '${name}' in the query of the \`connectionString\`: leave one of them out.`,
      );
  }
}
