import type { ServerResponse } from 'node:http';

/** Sends JSON; undefined is an empty 204. */
export function replyJson(response: ServerResponse, status: number, body: unknown): void {
  if (body === undefined) {
    response.writeHead(204).end();
    return;
  }
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=UTF-8',
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .end(text);
}

/** Sends a page, a style sheet or a script. Nothing from elsewhere is loaded, and nobody may frame it. */
export function replyText(
  response: ServerResponse,
  status: number,
  type: 'text/html' | 'text/css' | 'text/javascript',
  text: string,
): void {
  response
    .writeHead(status, {
      'content-type': `${type}; charset=UTF-8`,
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    })
    .end(text);
}

/** Sends what was ordered in the place of an answer: a page, unless its headers are set already. */
export function replyAsIs(response: ServerResponse, status: number, text: string): void {
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'text/html; charset=UTF-8');
  response.writeHead(status, { 'content-length': Buffer.byteLength(text) }).end(text);
}
