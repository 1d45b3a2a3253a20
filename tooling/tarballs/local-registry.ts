import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** What a client sends to publish a version, and what it gets of a package. */
interface Packument {
  readonly name: string;
  readonly 'dist-tags': Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, { readonly dist: { readonly tarball: string } }>>;
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
}

export interface LocalRegistry {
  readonly url: string;
  /** The packages that were published to it, by name. */
  readonly published: ReadonlyMap<string, Packument>;
  close(): void;
}

/** Package managers refuse what is younger than a day. */
const TWO_DAYS_AGO = new Date(Date.now() - 2 * 24 * 3_600_000).toISOString();

/** An npm registry in this process. It has what is published to it, and takes all else from the real one. */
export async function startLocalRegistry(upstream: string): Promise<LocalRegistry> {
  const published = new Map<string, Packument>();
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      response.writeHead(response.headersSent ? 0 : 500).end(String(error));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The registry has no port.');
  const url = `http://127.0.0.1:${address.port}/`;
  return { url, published, close: () => server.close().closeAllConnections() };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(request.url ?? '/', url).pathname).slice(1);
    if (request.method === 'PUT') return take(JSON.parse(await text(request)), response);
    const [name = '', file] = path.split('/-/');
    const found = published.get(name);
    if (found === undefined) return pass(request, response);
    if (file === undefined) return send(response, 200, shown(found));
    const tarball = found._attachments[`${name.replace(/[^/]*$/, '')}${file}`] ?? found._attachments[file];
    if (tarball === undefined) return send(response, 404, { error: 'not found' });
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    response.end(Buffer.from(tarball.data, 'base64'));
  }

  function take(packument: Packument, response: ServerResponse): void {
    const isThere = published.has(packument.name);
    if (!isThere) published.set(packument.name, packument);
    send(response, isThere ? 409 : 201, isThere ? { error: 'It is there already.' } : { ok: true });
  }

  function shown({ _attachments, ...packument }: Packument): object {
    const { name, versions } = packument;
    const placed = Object.entries(versions).map(([version, manifest]) => {
      const file = `${name.split('/').at(-1)}-${version}.tgz`;
      return [version, { ...manifest, dist: { ...manifest.dist, tarball: `${url}${name}/-/${file}` } }];
    });
    const times = Object.keys(versions).map((version) => [version, TWO_DAYS_AGO]);
    return {
      ...packument,
      versions: Object.fromEntries(placed),
      time: { created: TWO_DAYS_AGO, modified: TWO_DAYS_AGO, ...Object.fromEntries(times) },
    };
  }

  async function pass(
    { url: path = '/', headers }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { accept = '*/*' } = headers;
    const found = await fetch(new URL(path.slice(1), upstream), { headers: { accept } });
    const type = found.headers.get('content-type') ?? 'application/json';
    response.writeHead(found.status, { 'content-type': type });
    response.end(Buffer.from(await found.arrayBuffer()));
  }
}

function send(response: ServerResponse, status: number, content: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}
