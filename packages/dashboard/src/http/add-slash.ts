import { prefixOf } from './prefix.js';
import { respond } from './respond.js';

/** Asks for the script. A query alone is relative to whatever path the browser has. */
const SCRIPT = 'add-slash';

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Rowlock</title>
<script src="?${SCRIPT}"></script>
<noscript><p>Add a slash to the address: the dashboard is there. It needs JavaScript.</p></noscript>
</html>
`;

/**
 * Leads from the path of the dashboard without its last slash to the page. A proxy may have another path in front, or in
 * the place of this one. So a browser adds the slash to its own address, and a program gets a relative one, or one with the
 * prefix that the proxy names.
 *
 * @param base The dashboard's path without the slash.
 */
export function addSlash(base: string, request: Request): Response {
  const { search, searchParams } = new URL(request.url);
  if (searchParams.has(SCRIPT))
    return respond("location.replace(location.pathname + '/' + location.search + location.hash);\n", 200, {
      'content-type': 'text/javascript; charset=utf-8',
    });
  if ((request.headers.get('accept') ?? '').includes('text/html'))
    return respond(PAGE, 200, { 'content-type': 'text/html; charset=utf-8' });
  const prefix = prefixOf(request);
  if (prefix !== '') return respond(null, 308, { location: `${prefix}${base}/${search}` });
  const last = base.slice(base.lastIndexOf('/') + 1);
  // What is before a colon would be read as a scheme.
  return respond(null, 308, { location: `${last.includes(':') ? './' : ''}${last}/${search}` });
}
