import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type ApiParts, serveApi } from './api.js';
import { control } from './control.js';
import { GoogleError } from './google-error.js';
import { servePage } from './page.js';
import { replyJson } from './reply.js';
import { readText } from './request-body.js';
import { apiOf } from './routes.js';
import { TokenError } from './tokens.js';

/** The HTTP server that hands each request to who answers it: the APIs, the token endpoint, the control, the page. */
export function emulatorServer(parts: ApiParts): Server {
  // After Node's 5 s a busy client may send into a connection that is being closed.
  return createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    dispatch(parts, request, response).catch((error: unknown) => answerError(error, response));
  });
}

async function dispatch(parts: ApiParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Only path and query count: the host may be anything that leads here.
  const url = new URL(`http://emulator${request.url ?? '/'}`);
  const api = apiOf(url.pathname);
  if (api) return serveApi(parts, api, url, request, response);
  if (url.pathname === '/token') return serveToken(parts, request, response);
  refuseForeignPages(request);
  if (url.pathname.startsWith('/_emulator/')) {
    return replyJson(response, 200, await control(parts, url.pathname, request));
  }
  return servePage(parts.store, url, request, response);
}

async function serveToken(
  { tokens }: ApiParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    replyJson(response, 200, tokens.exchange(new URLSearchParams(await readText(request))));
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    replyJson(response, 400, { error: error.error, error_description: error.description });
  }
}

/** A page of another origin in the same browser must not steer the emulator or write cells. */
function refuseForeignPages({ method, headers }: IncomingMessage): void {
  if (method === 'GET' || headers.origin === undefined) return;
  const site = headers['sec-fetch-site'];
  // Behind a proxy the host differs from what the browser sees; the browser's own word is then the better one.
  const own = site === 'same-origin' || (site === undefined && headers.origin.endsWith(`//${headers.host}`));
  if (!own) throw new GoogleError(403, 'Another site may not do this.');
}

function answerError(error: unknown, response: ServerResponse): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
  } else if (error instanceof GoogleError) {
    replyJson(response, error.code, error.body('sheets'));
  } else {
    const message = error instanceof Error ? error.message : String(error);
    replyJson(response, 500, new GoogleError(500, `The emulator failed: ${message}`).body('sheets'));
  }
}
