import { invalidArgument } from './google-error.js';
import { indexAt, isObject, type JsonObject, stringAt } from './json.js';

/** A note of an application about a spreadsheet, which people do not see. */
export interface DeveloperMetadata {
  readonly metadataId: number;
  readonly metadataKey: string;
  readonly metadataValue?: string;
  readonly visibility: 'DOCUMENT' | 'PROJECT';
}

/**
 * `createDeveloperMetadata`, about the whole spreadsheet alone: Google also has notes about a sheet, rows and columns.
 * Source: https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.developerMetadata
 */
export function createDeveloperMetadata(
  draft: { readonly developerMetadata: DeveloperMetadata[] },
  request: JsonObject,
  at: string,
): JsonObject {
  const asked = isObject(request.developerMetadata) ? request.developerMetadata : {};
  const { visibility, location } = asked;
  const metadataKey = stringAt(asked, 'metadataKey');
  const metadataValue = stringAt(asked, 'metadataValue');
  if (!metadataKey) throw invalidArgument(`${at}Developer metadata must have a key.`);
  if (visibility !== 'DOCUMENT' && visibility !== 'PROJECT') {
    throw invalidArgument(`${at}Developer metadata must have a visibility.`);
  }
  if (!isObject(location) || location.spreadsheet !== true) {
    throw invalidArgument(`${at}Not emulated: developer metadata of anything but the spreadsheet.`);
  }
  const taken = draft.developerMetadata.map((each) => each.metadataId);
  const metadataId = indexAt(asked, 'metadataId') || Math.max(0, ...taken) + 1;
  if (taken.includes(metadataId)) {
    throw invalidArgument(`${at}Developer metadata with id ${metadataId} already exists.`);
  }
  const made: DeveloperMetadata = {
    metadataId,
    metadataKey,
    visibility,
    ...(metadataValue !== undefined && { metadataValue }),
  };
  draft.developerMetadata.push(made);
  return { createDeveloperMetadata: { developerMetadata: metadataResource(made) } };
}

export function metadataResource(metadata: DeveloperMetadata): JsonObject {
  return { ...metadata, location: { locationType: 'SPREADSHEET', spreadsheet: true } };
}
