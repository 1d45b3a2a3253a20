import { type DriveFile, type Permission, SPREADSHEET } from './drive-file.js';
import { type Exchange, editUrl } from './exchange.js';
import { applyFieldMask, InvalidFieldMask, parseFieldMask, type Shape } from './field-mask.js';
import { invalidArgument } from './google-error.js';
import type { JsonObject } from './json.js';

export const PERMISSION: Shape = { kind: true, id: true, type: true, role: true, emailAddress: true };

export const FILE: Shape = {
  kind: true,
  id: true,
  name: true,
  mimeType: true,
  trashed: true,
  parents: true,
  appProperties: true,
  createdTime: true,
  webViewLink: true,
};

export const FILE_LIST: Shape = { kind: true, incompleteSearch: true, nextPageToken: true, files: FILE };

/** A file as Drive shows it. */
export function fileResource(file: DriveFile, { publicUrl }: Exchange): JsonObject {
  const { id, name, mimeType, trashed, parents, appProperties } = file;
  return {
    kind: 'drive#file',
    id,
    name,
    mimeType,
    trashed,
    parents,
    appProperties,
    createdTime: new Date(file.createdTime).toISOString(),
    ...(mimeType === SPREADSHEET && { webViewLink: editUrl(publicUrl, id) }),
  };
}

export function permissionResource(permission: Permission): JsonObject {
  return { kind: 'drive#permission', ...permission };
}

/**
 * The answer cut to what `fields` names, or to `standard`, which Drive gives when nothing is named.
 * @throws GoogleError 400 "Invalid field selection …"
 */
export function selectFields(
  answer: JsonObject,
  { query }: Exchange,
  shape: Shape,
  standard: string,
): unknown {
  try {
    return applyFieldMask(answer, parseFieldMask(query.get('fields') ?? standard, shape));
  } catch (error) {
    if (!(error instanceof InvalidFieldMask)) throw error;
    throw invalidArgument(error.message, {
      reason: 'invalidParameter',
      location: 'fields',
      locationType: 'parameter',
    });
  }
}
