import type { Problem } from './problem.js';

/** The page loads nothing from anywhere else, runs no inline script and cannot be framed. */
const SECURITY = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
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

export function respondJson(value: unknown): Response {
  return respond(JSON.stringify(value), 200, { 'content-type': 'application/json' });
}

/** Problem details for the page's script, and a sentence for a person who has followed a link. */
export function respondProblem(problem: Problem, isPerson: boolean): Response {
  const { status, detail, headers } = problem;
  return isPerson
    ? respond(`${detail}\n`, status, { 'content-type': 'text/plain; charset=utf-8', ...headers })
    : respond(JSON.stringify(problem), status, { 'content-type': 'application/problem+json', ...headers });
}
