import { createFile, deleteFile, getFile, listFiles, updateFile } from './drive-files.js';
import { createPermission, listPermissions } from './drive-permissions.js';
import type { Exchange } from './exchange.js';
import type { Api } from './google-error.js';
import { batchUpdate } from './sheets-batch-update.js';
import { createSpreadsheet, getSpreadsheet } from './sheets-spreadsheet.js';
import {
  appendValues,
  batchGetByDataFilter,
  batchGetValues,
  batchUpdateValues,
  getValues,
  updateValues,
} from './sheets-values.js';

/** What does the work of a call. The ids come from the path, decoded; undefined is an empty answer (204). */
export type Operation = (exchange: Exchange, id: string, range: string) => unknown;

interface Route {
  readonly api: Api;
  readonly method: string;
  readonly path: RegExp;
  readonly operation: Operation;
}

const FILES = '/drive/v3/files';
const SHEETS = '/v4/spreadsheets';

/** Every call that is emulated. */
const ROUTES: readonly Route[] = [
  route('drive', 'POST', FILES, createFile),
  route('drive', 'GET', FILES, listFiles),
  route('drive', 'GET', `${FILES}/{}`, getFile),
  route('drive', 'PATCH', `${FILES}/{}`, updateFile),
  route('drive', 'DELETE', `${FILES}/{}`, deleteFile),
  route('drive', 'POST', `${FILES}/{}/permissions`, createPermission),
  route('drive', 'GET', `${FILES}/{}/permissions`, listPermissions),
  route('sheets', 'POST', SHEETS, createSpreadsheet),
  route('sheets', 'POST', `${SHEETS}/{}:batchUpdate`, batchUpdate),
  route('sheets', 'GET', `${SHEETS}/{}`, getSpreadsheet),
  route('sheets', 'GET', `${SHEETS}/{}/values:batchGet`, batchGetValues),
  route('sheets', 'POST', `${SHEETS}/{}/values:batchGetByDataFilter`, batchGetByDataFilter),
  route('sheets', 'POST', `${SHEETS}/{}/values:batchUpdate`, batchUpdateValues),
  route('sheets', 'POST', `${SHEETS}/{}/values/{range}:append`, appendValues),
  route('sheets', 'GET', `${SHEETS}/{}/values/{range}`, getValues),
  route('sheets', 'PUT', `${SHEETS}/{}/values/{range}`, updateValues),
];

/** The API that a path belongs to, also if nothing there is emulated; undefined for the emulator's own pages. */
export function apiOf(path: string): Api | undefined {
  if (path.startsWith('/drive/')) return 'drive';
  return path.startsWith('/v4/') ? 'sheets' : undefined;
}

/** What a call counts as in the quotas: a GET is a read, and so is the one read that has a body. */
export function kindOf(method: string, path: string): 'read' | 'write' {
  return method === 'GET' || path.endsWith(':batchGetByDataFilter') ? 'read' : 'write';
}

/** The operation behind a method and a path, with the decoded parts of the path. */
export function findRoute(method: string, path: string): [Operation, string, string] | undefined {
  for (const each of ROUTES) {
    const match = each.method === method ? each.path.exec(path) : null;
    if (match) return [each.operation, decode(match[1]), decode(match[2])];
  }
  return undefined;
}

function route(api: Api, method: string, template: string, operation: Operation): Route {
  const pattern = template.replaceAll('.', '\\.').replace('{range}', '([^/]+)').replace('{}', '([^/:]+)');
  return { api, method, path: new RegExp(`^${pattern}$`), operation };
}

function decode(part: string | undefined): string {
  try {
    return decodeURIComponent(part ?? '');
  } catch {
    return part ?? '';
  }
}
