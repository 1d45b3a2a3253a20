import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Problem } from './problem.js';

/** The page loads nothing from anywhere else, runs no inline script and cannot be framed. */
const SECURITY = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** A response with the headers that each one has. It is not kept, unless `headers` says so. */
export function respond(
  body: ConstructorParameters<typeof Response>[0],
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(body, { status, headers: { 'cache-control': 'no-store', ...SECURITY, ...headers } });
}

/**
 * A `Response` of this process, made of one that may be of another copy of the class. Undefined for anything else.
 *
 * @throws TypeError for one that cannot be sent, or whose body was sent before
 */
export function ownResponse(given: unknown): Response | undefined {
  if (given instanceof Response) {
    if (given.type === 'error')
      throw new TypeError('`access` has given Response.error(), which nobody can send.');
    if (!given.bodyUsed && given.body?.locked !== true) return given;
    throw new TypeError(
      '`access` has given a Response that was sent before: its body can be sent once, so it must make a new one for each request.',
    );
  }
  const { status, headers, body } = Object(given);
  if (typeof status !== 'number' || typeof headers?.get !== 'function') return undefined;
  return new Response(body, { status, headers: new Headers([...headers]) });
}

/** A `Response` that was thrown, as helpers of web frameworks do for a redirect. Throws anything else again, errors with a status too. */
export function thrownResponse(thrown: unknown): Response {
  const response = thrown instanceof Error ? undefined : ownResponse(thrown);
  if (response === undefined) throw thrown;
  return response;
}

/** Less is not worth it, in characters. */
const WORTH_ZIPPING = 8_000;

export async function respondJson(value: unknown, request: Request): Promise<Response> {
  const text = JSON.stringify(value);
  const headers = { 'content-type': 'application/json', vary: 'accept-encoding' };
  if (text.length < WORTH_ZIPPING || !takesGzip(request)) return respond(text, 200, headers);
  const zipped = new Uint8Array(await promisify(gzip)(text, { level: 1 }));
  return respond(zipped, 200, { ...headers, 'content-encoding': 'gzip' });
}

export function takesGzip({ headers }: Request): boolean {
  return /\bgzip\b/.test(headers.get('accept-encoding') ?? '');
}

/** Problem details for the page's script, and a sentence for a person who has followed a link. */
export function respondProblem(problem: Problem, isPerson: boolean): Response {
  const { status, detail, headers } = problem;
  return isPerson
    ? respond(`${detail}\n`, status, { 'content-type': 'text/plain; charset=utf-8', ...headers })
    : respond(JSON.stringify(problem), status, { 'content-type': 'application/problem+json', ...headers });
}
