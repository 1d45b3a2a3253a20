import type { IncomingMessage, ServerResponse } from 'node:http';

/** What answers a scrape or a probe: `prometheus()`, or `health(rowlock, worker)`. */
export interface Answering {
  fetch(request: Request): Promise<Response>;
}

/**
 * Metrics or checks for Node's own server, and for Express: `app.get('/metrics', node(metrics))`.
 *
 * @example
 * createServer(node(metrics)).listen(9464);
 */
export function node(answering: Answering): (req: IncomingMessage, res: ServerResponse) => void {
  return (req, res) => {
    answer(answering, req, res).catch((error: unknown) => {
      res.destroy(error instanceof Error ? error : undefined);
    });
  };
}

async function answer(answering: Answering, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { method = 'GET', url } = req;
  // The host is that of the header. In the address it could be anything.
  const address = `http://localhost${url}`;
  const found = URL.canParse(address)
    ? await answering.fetch(new Request(address, { method }))
    : new Response(null, { status: 400 });
  res.writeHead(found.status, Object.fromEntries(found.headers)).end(await found.text());
}
