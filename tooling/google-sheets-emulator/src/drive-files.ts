import type { DriveFile } from './drive-file.js';
import { parseDriveQuery } from './drive-query.js';
import { FILE, FILE_LIST, fileResource, selectFields } from './drive-resource.js';
import type { Exchange } from './exchange.js';
import { fileNotFound, invalidArgument } from './google-error.js';
import { isObject, type JsonObject, stringAt } from './json.js';

const STANDARD = 'kind,id,name,mimeType';
const STANDARD_LIST = `kind,incompleteSearch,nextPageToken,files(${STANDARD})`;

/** `POST /drive/v3/files`: makes a file; a spreadsheet starts with one empty sheet. */
export function createFile(exchange: Exchange): unknown {
  const { body, store, user } = exchange;
  const file = store.create({
    name: stringAt(body, 'name') ?? 'Untitled',
    mimeType: stringAt(body, 'mimeType') ?? 'application/octet-stream',
    owner: user,
    appProperties: propertiesOf(body.appProperties),
    ...(isStrings(body.parents) && body.parents.length > 0 && { parents: body.parents }),
  });
  return answer(file, exchange);
}

/** `GET /drive/v3/files`: those that `q` selects, the newest first, or the oldest with an `orderBy` of `createdTime`. */
export function listFiles(exchange: Exchange): unknown {
  const { query, store, search } = exchange;
  const pageSize = Number(query.get('pageSize') ?? 100);
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 1000) throw invalidParameter('pageSize');
  for (const space of query.get('spaces')?.split(',') ?? []) {
    if (space !== 'drive' && space !== 'appDataFolder') throw invalidParameter('spaces');
  }
  const orderBy = query.get('orderBy');
  if (orderBy !== null && orderBy !== 'createdTime') throw invalidParameter('orderBy');
  const { lagMs = 0, emptyPages = 0 } = search;
  const { empty, start } = pageStart(query.get('pageToken'));
  const selected = store
    .files()
    .filter(parseDriveQuery(query.get('q') ?? ''))
    .filter((file) => file.createdTime + lagMs <= store.now());
  if (orderBy === null) selected.reverse();
  const [skipped, end] = empty < emptyPages ? [empty + 1, start] : [empty, start + pageSize];
  const page: JsonObject = {
    kind: 'drive#fileList',
    ...((skipped > empty || end < selected.length) && { nextPageToken: pageToken(skipped, end) }),
    incompleteSearch: false,
    files: selected.slice(start, end).map((file) => fileResource(file, exchange)),
  };
  return selectFields(page, exchange, FILE_LIST, STANDARD_LIST);
}

/** @throws GoogleError 404 "File not found: …" */
export function existing({ store }: Exchange, id: string): DriveFile {
  const file = store.find(id);
  if (!file) throw fileNotFound(id);
  return file;
}

function answer(file: DriveFile, exchange: Exchange): unknown {
  return selectFields(fileResource(file, exchange), exchange, FILE, STANDARD);
}

/** Google's limits: 30 private properties of an app, 124 bytes for key and value together. */
function propertiesOf(given: unknown): Record<string, string> {
  const properties: Record<string, string> = {};
  for (const [key, value] of Object.entries(isObject(given) ? given : {})) {
    if (typeof value !== 'string') throw invalidParameter(key);
    if (Buffer.byteLength(key) + Buffer.byteLength(value) > 124) {
      throw invalidArgument('The property is too long: key and value may have 124 bytes in UTF-8.', {
        reason: 'propertyTooLong',
      });
    }
    properties[key] = value;
  }
  if (Object.keys(properties).length > 30) throw invalidParameter('appProperties');
  return properties;
}

/** The token of the page after `empty` pages without files and `start` files. */
function pageToken(empty: number, start: number): string {
  return Buffer.from(`from:${empty}:${start}`).toString('base64url');
}

function pageStart(token: string | null): { empty: number; start: number } {
  if (token === null) return { empty: 0, start: 0 };
  const match = /^from:(\d+):(\d+)$/.exec(Buffer.from(token, 'base64url').toString());
  if (!match) throw invalidParameter('pageToken');
  return { empty: Number(match[1]), start: Number(match[2]) };
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function invalidParameter(location: string): Error {
  return invalidArgument('Invalid Value', { reason: 'invalid', location, locationType: 'parameter' });
}
