import { Problem } from '@rowlock/app-shared/web';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import type { User } from './user.js';

/** @returns whom the token stands for. @throws Problem 401, or 503 when the signer's keys cannot be had. */
export type VerifyToken = (token: string) => Promise<User>;

export interface TokenRules {
  /** Where the signer publishes its keys. */
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
}

/** Public-key signatures only: with a shared secret, whoever can verify a token can also forge one. */
const ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
  'Ed25519',
];

/** Makes the check that every token goes through, the demo's own as well as an identity provider's. */
export function createTokenVerifier({ jwksUrl, issuer, audience }: TokenRules): VerifyToken {
  const keys = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: 3_000 });
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: 5,
        requiredClaims: ['sub', 'exp'],
      });
      const { sub = '', exp = 0, name, email, email_verified } = payload;
      if (sub === '') throw new errors.JWTClaimValidationFailed('"sub" is empty', payload, 'sub');
      return {
        id: sub,
        name: typeof name === 'string' ? name : sub,
        // Many issuers leave `email_verified` out, and some write it as text.
        email: typeof email === 'string' && String(email_verified ?? true) === 'true' ? email : undefined,
        until: new Date(exp * 1000),
      };
    } catch (error) {
      throw problemOfToken(error);
    }
  };
}

function problemOfToken(cause: unknown): Problem {
  if (cause instanceof errors.JWTExpired) return unauthorized('The token has expired. Sign in again.', cause);
  if (isSignerAway(cause)) {
    const detail =
      'The identity provider cannot be reached, so the token cannot be checked. Try again shortly.';
    return new Problem(503, detail, { headers: { 'Retry-After': '2' }, cause });
  }
  return unauthorized('The token is not valid here.', cause);
}

function unauthorized(detail: string, cause: unknown): Problem {
  return new Problem(401, detail, { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' }, cause });
}

/** A timeout, an answer that is no key set, or no answer at all (which `fetch` reports as a TypeError). */
function isSignerAway(error: unknown): boolean {
  if (error instanceof errors.JOSEError) return SIGNER_AWAY.has(error.code);
  return error instanceof TypeError;
}

const SIGNER_AWAY = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC']);
