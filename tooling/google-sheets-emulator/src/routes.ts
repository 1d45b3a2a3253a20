import { createFile, listFiles } from './drive-files.js';
import { createPermission } from './drive-permissions.js';
import type { Exchange } from './exchange.js';
import type { Api } from './google-error.js';
import { batchUpdate } from './sheets-batch-update.js';
import { getSpreadsheet } from './sheets-spreadsheet.js';
import { batchGetByDataFilter } from './sheets-values.js';

/** What does the work of a call. The id comes from the path, decoded. */
export type Operation = (exchange: Exchange, id: string) => unknown;

interface Route {
  readonly api: Api;
  readonly method: string;
  readonly path: RegExp;
  readonly operation: Operation;
}

const FILES = '/drive/v3/files';
const SHEETS = '/v4/spreadsheets';

/** Every call that is emulated: those that the plugin makes. */
const ROUTES: readonly Route[] = [
  route('drive', 'POST', FILES, createFile),
  route('drive', 'GET', FILES, listFiles),
  route('drive', 'POST', `${FILES}/{}/permissions`, createPermission),
  route('sheets', 'POST', `${SHEETS}/{}:batchUpdate`, batchUpdate),
  route('sheets', 'GET', `${SHEETS}/{}`, getSpreadsheet),
  route('sheets', 'POST', `${SHEETS}/{}/values:batchGetByDataFilter`, batchGetByDataFilter),
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

/** The operation behind a method and a path, with the id in the path. */
export function findRoute(method: string, path: string): [Operation, string] | undefined {
  for (const each of ROUTES) {
    const match = each.method === method ? each.path.exec(path) : null;
    if (match) return [each.operation, decode(match[1])];
  }
  return undefined;
}

function route(api: Api, method: string, template: string, operation: Operation): Route {
  const pattern = template.replaceAll('.', '\\.').replace('{}', '([^/:]+)');
  return { api, method, path: new RegExp(`^${pattern}$`), operation };
}

function decode(part: string | undefined): string {
  try {
    return decodeURIComponent(part ?? '');
  } catch {
    return part ?? '';
  }
}
