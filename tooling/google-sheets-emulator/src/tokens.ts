import { createHash, createVerify, randomBytes } from 'node:crypto';
import { GoogleError } from './google-error.js';
import { isObject, type JsonObject, stringAt } from './json.js';

/** Which access tokens are taken, and whose they are. */
export interface TokenOptions {
  /**
   * The only static tokens that are accepted, each with the e-mail address of its user. Absent: any token that is not
   * empty, each of a user of its own.
   */
  readonly tokens?: Readonly<Record<string, string>>;
  /** Service accounts by e-mail address, with the public key (PEM) that must have signed. Absent: any, unverified. */
  readonly serviceAccounts?: Readonly<Record<string, string>>;
}

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const LIFETIME_S = 3599;

/** Google's error of the token endpoint, which has a shape of its own. */
export class TokenError extends Error {
  constructor(
    readonly error: string,
    readonly description: string,
  ) {
    super(description);
  }
}

/** Issues access tokens for signed assertions, and says whose a token is. */
export class Tokens {
  readonly #options: TokenOptions;
  readonly #now: () => number;
  readonly #issued = new Map<string, { user: string; expires: number }>();

  constructor(options: TokenOptions, now: () => number) {
    this.#options = options;
    this.#now = now;
  }

  /**
   * The user of an `Authorization` header.
   * @throws GoogleError 401 without a token, and for one that is unknown or past its hour
   */
  userOf(authorization: string | undefined): string {
    const token = /^Bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1];
    if (!token) throw unauthenticated('Request is missing required authentication credential.', 'required');
    const issued = this.#issued.get(token);
    if (issued && issued.expires > this.#now()) return issued.user;
    const { tokens } = this.#options;
    if (tokens && Object.hasOwn(tokens, token)) return tokens[token] ?? '';
    // A token that this emulator made before a restart is refused like an expired one, so that clients fetch a new one.
    if (issued || tokens || token.startsWith('ya29.emulator-')) {
      throw unauthenticated('Request had invalid authentication credentials.', 'authError');
    }
    const digest = createHash('sha256').update(token).digest('hex');
    return `user-${digest.slice(0, 12)}@emulator.test`;
  }

  /**
   * Answers `POST /token`, the JWT bearer grant of RFC 7523 as Google speaks it.
   * @throws TokenError
   */
  exchange(form: URLSearchParams): JsonObject {
    if (form.get('grant_type') !== GRANT) {
      throw new TokenError('unsupported_grant_type', `Invalid grant_type: ${form.get('grant_type')}`);
    }
    const claims = this.#verified(form.get('assertion') ?? '');
    const issuer = stringAt(claims, 'iss');
    if (!issuer || !claims.scope) throw invalidGrant('Invalid JWT: iss and scope are required.');
    const expiry = claims.exp;
    if (typeof expiry !== 'number' || expiry * 1000 <= this.#now()) {
      throw invalidGrant(
        'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.',
      );
    }
    const access_token = `ya29.emulator-${randomBytes(24).toString('base64url')}`;
    const user = stringAt(claims, 'sub') ?? issuer;
    this.#issued.set(access_token, { user, expires: this.#now() + LIFETIME_S * 1000 });
    return { access_token, expires_in: LIFETIME_S, token_type: 'Bearer' };
  }

  #verified(assertion: string): JsonObject {
    const [header = '', payload = '', signature = ''] = assertion.split('.');
    const claims = decoded(payload);
    if (decoded(header).alg !== 'RS256' || !signature)
      throw invalidGrant('Invalid JWT: it must be signed with RS256.');
    const { serviceAccounts } = this.#options;
    if (!serviceAccounts) return claims;
    const issuer = stringAt(claims, 'iss') ?? '';
    const key = Object.hasOwn(serviceAccounts, issuer) ? serviceAccounts[issuer] : undefined;
    if (!key) throw invalidGrant('Invalid grant: account not found');
    const signed = createVerify('RSA-SHA256').update(`${header}.${payload}`);
    if (!signed.verify(key, signature, 'base64url')) throw invalidGrant('Invalid JWT Signature.');
    return claims;
  }
}

function decoded(part: string): JsonObject {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    if (isObject(value)) return value;
  } catch {
    // Not JSON: refused below, like any other malformed part.
  }
  throw invalidGrant('Invalid JWT: it could not be decoded.');
}

function invalidGrant(description: string): TokenError {
  return new TokenError('invalid_grant', description);
}

function unauthenticated(what: string, reason: string): GoogleError {
  const advice =
    'Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.';
  return new GoogleError(401, `${what} ${advice}`, {
    reason,
    location: 'Authorization',
    locationType: 'header',
  });
}
