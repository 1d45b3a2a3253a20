import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { prefixOf } from './http/prefix.js';
import { Problem } from './http/problem.js';
import { respond, takesGzip } from './http/respond.js';

/** Built by Vite; the same from `src` and from `dist`. */
const FOLDER = fileURLToPath(new URL('../dist/page/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly zipped: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly isHashed: boolean;
}

/** The files of the page, in memory: they are few and small. */
export class Assets {
  readonly #files: ReadonlyMap<string, Asset>;

  constructor() {
    const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).map((name) =>
      name.replaceAll('\\', '/'),
    );
    this.#files = new Map(
      names.filter((name) => extname(name) in TYPES).map((name) => [name, assetOf(name)] as const),
    );
  }

  /**
   * @param path Below the dashboard's own. The empty one is the page.
   * @param base The dashboard's path without the slash.
   * @throws Problem 404, 405
   */
  respond(path: string, request: Request, base: string): Response {
    const { method } = request;
    const asset = this.#files.get(path === '' ? 'index.html' : path);
    if (asset === undefined) throw new Problem(404, `There is nothing at ${JSON.stringify(path)}.`);
    if (method !== 'GET' && method !== 'HEAD')
      throw new Problem(405, 'A file is read by GET.', { headers: { allow: 'GET, HEAD' } });
    const prefix = prefixOf(request);
    const isPrefixed = prefix !== '' && path === '';
    const isZipped = takesGzip(request) && !isPrefixed;
    const bytes = isPrefixed ? withAddress(asset.bytes, `${prefix}${base}/`) : asset.bytes;
    return respond(method === 'HEAD' ? null : isZipped ? asset.zipped : bytes, 200, {
      'content-type': asset.type,
      vary: 'accept-encoding, x-forwarded-prefix',
      ...(isZipped && { 'content-encoding': 'gzip' }),
      // The name changes with the contents. Only those with access get it, so no shared cache may keep it.
      ...(asset.isHashed && { 'cache-control': 'private, max-age=31536000, immutable' }),
    });
  }
}

/** The page, whose relative addresses begin at this one: a proxy that takes off the whole path takes its last slash too. */
function withAddress(page: Uint8Array, address: string): string {
  return new TextDecoder().decode(page).replace('<head>', () => `<head><base href="${address}">`);
}

function assetOf(name: string): Asset {
  const bytes = new Uint8Array(readFileSync(join(FOLDER, name)));
  return {
    bytes,
    zipped: new Uint8Array(gzipSync(bytes)),
    type: TYPES[extname(name)] ?? '',
    isHashed: name.startsWith('assets/'),
  };
}
