import { type CryptoKey, exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose';
import { z } from 'zod';

/** How long a demo token is good for, in seconds. */
const LIFETIME = 60 * 60;

/** All that the demo asks of a person. */
export const DemoSignIn = z.strictObject({
  name: z
    .string()
    .trim()
    .regex(
      /^[\p{L}\p{N}][\p{L}\p{N} .'-]{0,39}$/u,
      'must have 1 to 40 letters, digits, spaces, dots or dashes',
    ),
});

/** Stands in for an identity provider: signs a token for anybody who gives a name. For the demo only. */
export class DemoIssuer {
  readonly jwks: JSONWebKeySet;
  readonly #privateKey: CryptoKey;
  readonly #issuer: string;
  readonly #audience: string;

  /** Makes a key of its own: tokens of an earlier start are worth nothing. */
  static async create(issuer: string, audience: string): Promise<DemoIssuer> {
    const { publicKey, privateKey } = await generateKeyPair(ALGORITHM);
    const jwk = { ...(await exportJWK(publicKey)), alg: ALGORITHM, use: 'sig', kid: KEY_ID };
    return new DemoIssuer({ keys: [jwk] }, privateKey, issuer, audience);
  }

  private constructor(jwks: JSONWebKeySet, privateKey: CryptoKey, issuer: string, audience: string) {
    this.jwks = jwks;
    this.#privateKey = privateKey;
    this.#issuer = issuer;
    this.#audience = audience;
  }

  async issue(name: string): Promise<{ access_token: string; token_type: 'Bearer'; expires_in: number }> {
    const token = await new SignJWT({ name })
      .setProtectedHeader({ alg: ALGORITHM, kid: KEY_ID })
      .setSubject(`demo:${name.toLowerCase()}`)
      .setIssuer(this.#issuer)
      .setAudience(this.#audience)
      .setIssuedAt()
      .setExpirationTime(`${LIFETIME}s`)
      .sign(this.#privateKey);
    return { access_token: token, token_type: 'Bearer', expires_in: LIFETIME };
  }
}

const ALGORITHM = 'ES256';
const KEY_ID = 'demo';
