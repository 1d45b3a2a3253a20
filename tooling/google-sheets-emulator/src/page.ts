import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DriveFile, SPREADSHEET } from './drive-file.js';
import { GoogleError } from './google-error.js';
import { indexAt, isObject, stringAt } from './json.js';
import { pageCells, type TypedCell, typeCells } from './page-cells.js';
import { notFoundHtml, spreadsheetHtml } from './page-html.js';
import { PAGE_SCRIPT } from './page-script.js';
import { PAGE_STYLE } from './page-style.js';
import { replyJson, replyText } from './reply.js';
import { readJson } from './request-body.js';
import type { Sheet } from './sheet.js';
import type { Store } from './store.js';

const PATH = /^\/spreadsheets\/d\/([^/]+)\/(edit|cells)$/;

/** Serves what people see: `/spreadsheets/d/{id}/edit`, and the cells that the page reads and writes. */
export async function servePage(
  store: Store,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const method = request.method ?? 'GET';
  if (method === 'GET' && url.pathname === '/spreadsheets/page.css') {
    return replyText(response, 200, 'text/css', PAGE_STYLE);
  }
  if (method === 'GET' && url.pathname === '/spreadsheets/page.js') {
    return replyText(response, 200, 'text/javascript', PAGE_SCRIPT);
  }
  const [, id = '', what] = PATH.exec(url.pathname) ?? [];
  const file = store.find(id);
  const sheet = file?.mimeType === SPREADSHEET && !file.trashed ? chosenSheet(file, url) : undefined;
  if (!file || !sheet) {
    if (what === 'cells') throw new GoogleError(404, 'This spreadsheet does not exist.');
    return replyText(response, 404, 'text/html', notFoundHtml());
  }
  if (what === 'edit' && method === 'GET') {
    return replyText(response, 200, 'text/html', spreadsheetHtml(file, sheet));
  }
  if (what === 'cells' && method === 'GET') return answerCells(file, sheet, url, response);
  if (what === 'cells' && method === 'PUT') {
    typeCells(sheet, await typedCells(request));
    store.touch(file);
    return replyJson(response, 200, { version: file.version });
  }
  throw new GoogleError(405, `${method} is not possible here.`);
}

/** Everything, or nothing but the version when the page has it already. */
function answerCells(file: DriveFile, sheet: Sheet, url: URL, response: ServerResponse): void {
  const known = Number(url.searchParams.get('version')) === file.version;
  replyJson(response, 200, {
    version: file.version,
    ...(!known && { title: file.name, cells: pageCells(sheet) }),
  });
}

async function typedCells(request: IncomingMessage): Promise<TypedCell[]> {
  // A foreign site cannot send this type without asking first, and is not answered when it asks.
  if (!request.headers['content-type']?.startsWith('application/json')) {
    throw new GoogleError(415, 'Send application/json.');
  }
  const body = await readJson(request);
  const cells: unknown[] = Array.isArray(body.cells) ? body.cells : [];
  return cells.map((cell): TypedCell => {
    const given = isObject(cell) ? cell : {};
    const [row, column, text] = [indexAt(given, 'row'), indexAt(given, 'column'), stringAt(given, 'text')];
    if (row === undefined || column === undefined || text === undefined) {
      throw new GoogleError(400, 'Each cell needs a row, a column and a text.');
    }
    return { row, column, text };
  });
}

function chosenSheet(file: DriveFile, url: URL): Sheet | undefined {
  const gid = url.searchParams.get('gid');
  return gid === null ? file.sheets[0] : file.sheets.find((sheet) => String(sheet.sheetId) === gid);
}
