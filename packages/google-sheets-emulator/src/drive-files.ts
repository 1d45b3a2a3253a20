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
  const description = stringAt(body, 'description');
  const file = store.create({
    name: stringAt(body, 'name') ?? 'Untitled',
    mimeType: stringAt(body, 'mimeType') ?? 'application/octet-stream',
    owner: user,
    appProperties: mergedProperties({}, body.appProperties),
    properties: mergedProperties({}, body.properties),
    ...(description !== undefined && { description }),
    ...(isStrings(body.parents) && body.parents.length > 0 && { parents: body.parents }),
  });
  return answer(file, exchange);
}

/** `GET /drive/v3/files`: the newest files first, those that `q` selects. */
export function listFiles(exchange: Exchange): unknown {
  const { query, store, search } = exchange;
  const pageSize = Number(query.get('pageSize') ?? 100);
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 1000) throw invalidParameter('pageSize');
  for (const space of query.get('spaces')?.split(',') ?? []) {
    if (space !== 'drive' && space !== 'appDataFolder') throw invalidParameter('spaces');
  }
  const { lagMs = 0, emptyPages = 0 } = search;
  const { empty, start } = pageStart(query.get('pageToken'));
  const selected = store
    .files()
    .filter(parseDriveQuery(query.get('q') ?? ''))
    .filter((file) => file.createdTime + lagMs <= store.now())
    .reverse()
    .sort(fileOrder(query.get('orderBy')));
  const [skipped, end] = empty < emptyPages ? [empty + 1, start] : [empty, start + pageSize];
  const page: JsonObject = {
    kind: 'drive#fileList',
    ...((skipped > empty || end < selected.length) && { nextPageToken: pageToken(skipped, end) }),
    incompleteSearch: false,
    files: selected.slice(start, end).map((file) => fileResource(file, exchange)),
  };
  return selectFields(page, exchange, FILE_LIST, STANDARD_LIST);
}

/** `GET /drive/v3/files/{id}` */
export function getFile(exchange: Exchange, id: string): unknown {
  return answer(existing(exchange, id), exchange);
}

/** `PATCH /drive/v3/files/{id}`: a property set to null is taken away. */
export function updateFile(exchange: Exchange, id: string): unknown {
  const { body, query, store } = exchange;
  const file = existing(exchange, id);
  file.name = stringAt(body, 'name') ?? file.name;
  file.description = stringAt(body, 'description') ?? file.description ?? '';
  if (typeof body.trashed === 'boolean') file.trashed = body.trashed;
  file.appProperties = mergedProperties(file.appProperties, body.appProperties);
  file.properties = mergedProperties(file.properties, body.properties);
  const added = query.get('addParents')?.split(',') ?? [];
  const removed = query.get('removeParents')?.split(',') ?? [];
  file.parents = [...new Set([...file.parents, ...added])].filter((parent) => !removed.includes(parent));
  store.touch(file);
  return answer(file, exchange);
}

/** `DELETE /drive/v3/files/{id}`: for good, not to the trash. */
export function deleteFile(exchange: Exchange, id: string): undefined {
  existing(exchange, id);
  exchange.store.delete(id);
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
function mergedProperties(current: Record<string, string>, change: unknown): Record<string, string> {
  if (!isObject(change)) return current;
  const merged = { ...current };
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete merged[key];
    else if (typeof value !== 'string') throw invalidParameter(key);
    else if (Buffer.byteLength(key) + Buffer.byteLength(value) > 124) {
      throw invalidArgument('The property is too long: key and value may have 124 bytes in UTF-8.', {
        reason: 'propertyTooLong',
      });
    } else merged[key] = value;
  }
  if (Object.keys(merged).length > 30) throw invalidParameter('appProperties');
  return merged;
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

/** `createdTime`, `modifiedTime` and `name`, each with or without ` desc`; without an order the newest come first. */
function fileOrder(orderBy: string | null): (a: DriveFile, b: DriveFile) => number {
  const [member, direction] = orderBy?.split(' ') ?? [];
  const sign = direction === 'desc' ? -1 : 1;
  if (member === undefined) return () => 0;
  if (member === 'name') return (a, b) => sign * a.name.localeCompare(b.name);
  if (member === 'createdTime' || member === 'modifiedTime') return (a, b) => sign * (a[member] - b[member]);
  throw invalidParameter('orderBy');
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function invalidParameter(location: string): Error {
  return invalidArgument('Invalid Value', { reason: 'invalid', location, locationType: 'parameter' });
}
