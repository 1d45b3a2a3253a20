import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Dashboard } from './dashboard.js';

/** A request of Node, or of Express, whose path is shortened where a router is mounted, and whose body may be read already. */
type NodeRequest = IncomingMessage & { readonly originalUrl?: string; readonly body?: unknown };

/**
 * A dashboard for Node's own server, and for Express: `app.use(node(dashboard))`. Answers each request that it gets, those
 * of other paths by 404.
 *
 * @example
 * createServer(node(dashboard)).listen(3000);
 */
export function node(dashboard: Pick<Dashboard, 'fetch'>): (req: NodeRequest, res: ServerResponse) => void {
  return (req, res) => {
    answer(dashboard, req, res).catch((error: unknown) => {
      if (!res.headersSent && !res.destroyed) res.writeHead(500).end();
      // The browser has gone, or half an answer is sent.
      else res.destroy(error instanceof Error ? error : undefined);
    });
  };
}

async function answer(
  dashboard: Pick<Dashboard, 'fetch'>,
  req: NodeRequest,
  res: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const request = requestOf(req, gone.signal);
  const { status, headers, body } =
    request === undefined ? new Response(null, { status: 400 }) : await dashboard.fetch(request);
  res.statusCode = status;
  for (const [name, value] of headers) if (name !== 'set-cookie') res.setHeader(name, value);
  // There may be several, and others that were set before.
  for (const cookie of headers.getSetCookie()) res.appendHeader('set-cookie', cookie);
  if (body === null || req.method === 'HEAD') res.end();
  else await pipeline(Readable.fromWeb(body), res);
}

/** The methods of which the class `Request` makes none. */
const NO_REQUEST: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

/** Undefined if its address is none, or its method. */
function requestOf(req: NodeRequest, signal: AbortSignal): Request | undefined {
  const { method = 'GET', originalUrl, url } = req;
  // The host is that of the header. In the address it could be anything.
  const address = `http://localhost${originalUrl ?? url}`;
  if (!URL.canParse(address) || NO_REQUEST.has(method)) return undefined;
  const headers = new Headers();
  for (const [name, values] of Object.entries(req.headersDistinct))
    if (!name.startsWith(':')) for (const value of values ?? []) headers.append(name, value);
  if (method === 'GET' || method === 'HEAD') return new Request(address, { method, headers, signal });
  const body = req.readableEnded ? JSON.stringify(req.body) : Readable.toWeb(req);
  return new Request(address, { method, headers, signal, body, duplex: 'half' });
}
