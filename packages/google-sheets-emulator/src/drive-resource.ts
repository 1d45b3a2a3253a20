import { type DriveFile, type Permission, SPREADSHEET } from './drive-file.js';
import { type Exchange, editUrl } from './exchange.js';
import { applyFieldMask, InvalidFieldMask, parseFieldMask, type Shape } from './field-mask.js';
import { invalidArgument } from './google-error.js';
import type { JsonObject } from './json.js';

const USER: Shape = { kind: true, displayName: true, emailAddress: true, permissionId: true, me: true };

export const PERMISSION: Shape = {
  kind: true,
  id: true,
  type: true,
  role: true,
  emailAddress: true,
  domain: true,
  displayName: true,
  deleted: true,
  pendingOwner: true,
};

export const FILE: Shape = {
  kind: true,
  id: true,
  name: true,
  mimeType: true,
  description: true,
  trashed: true,
  parents: true,
  properties: true,
  appProperties: true,
  createdTime: true,
  modifiedTime: true,
  version: true,
  webViewLink: true,
  ownedByMe: true,
  shared: true,
  owners: USER,
  permissions: PERMISSION,
  permissionIds: true,
  starred: true,
  spaces: true,
  size: true,
  driveId: true,
};

export const FILE_LIST: Shape = { kind: true, incompleteSearch: true, nextPageToken: true, files: FILE };
export const PERMISSION_LIST: Shape = { kind: true, nextPageToken: true, permissions: PERMISSION };

/** A file as Drive shows it, all members. */
export function fileResource(file: DriveFile, { publicUrl, user }: Exchange): JsonObject {
  const owner = file.permissions.find((each) => each.role === 'owner');
  return {
    kind: 'drive#file',
    id: file.id,
    name: file.name,
    mimeType: file.mimeType,
    ...(file.description !== undefined && { description: file.description }),
    starred: false,
    trashed: file.trashed,
    parents: file.parents,
    ...(Object.keys(file.properties).length > 0 && { properties: file.properties }),
    ...(Object.keys(file.appProperties).length > 0 && { appProperties: file.appProperties }),
    spaces: ['drive'],
    version: String(file.version),
    ...(file.mimeType === SPREADSHEET && { webViewLink: editUrl(publicUrl, file.id) }),
    createdTime: new Date(file.createdTime).toISOString(),
    modifiedTime: new Date(file.modifiedTime).toISOString(),
    owners: owner?.emailAddress ? [ownerResource(owner.emailAddress, owner.id, user)] : [],
    ownedByMe: owner?.emailAddress === user,
    shared: file.permissions.length > 1,
    permissions: file.permissions.map(permissionResource),
    permissionIds: file.permissions.map((each) => each.id),
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

function ownerResource(emailAddress: string, permissionId: string, user: string): JsonObject {
  const displayName = emailAddress.split('@')[0];
  return { kind: 'drive#user', displayName, me: emailAddress === user, permissionId, emailAddress };
}
