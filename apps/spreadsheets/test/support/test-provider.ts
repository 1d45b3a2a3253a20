import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** An identity provider with one key. */
export interface TestProvider {
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
  /** A token that is good, but for what is said otherwise. */
  token(claims?: JWTPayload, expires?: string): Promise<string>;
  tokenWithoutSubject(): Promise<string>;
  /** Its public key, as a forger could use it. */
  readonly publicKey: Uint8Array;
  close(): Promise<void>;
}

export async function startTestProvider(): Promise<TestProvider> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), alg: 'RS256', kid: 'one' };
  const server = createServer((_req, res) => res.end(JSON.stringify({ keys: [jwk] })));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port }: AddressInfo = addressOf(server.address());
  const [issuer, audience] = ['https://id.example.com', 'spreadsheets'];
  const sign = (claims: JWTPayload, expires: string): Promise<string> =>
    new SignJWT({ iss: issuer, aud: audience, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setExpirationTime(expires)
      .sign(privateKey);
  return {
    jwksUrl: `http://127.0.0.1:${port}/jwks.json`,
    issuer,
    audience,
    publicKey: new TextEncoder().encode(JSON.stringify(jwk)),
    token: (claims = {}, expires = '5m') => sign({ sub: 'ada', ...claims }, expires),
    tokenWithoutSubject: () => sign({}, '5m'),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('Not listening.');
  return address;
}
