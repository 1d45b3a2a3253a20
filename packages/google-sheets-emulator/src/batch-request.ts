import type { DeveloperMetadata } from './developer-metadata.js';
import type { DriveFile } from './drive-file.js';
import { type FieldMask, parseFieldMask } from './field-mask.js';
import { invalidArgument } from './google-error.js';
import { indexAt, type JsonObject, stringAt } from './json.js';
import type { Sheet } from './sheet.js';

/** The spreadsheet while a batch is at work on it: a copy, so that a refused request leaves nothing behind. */
export interface Draft extends Pick<DriveFile, 'name' | 'sheets'> {
  readonly developerMetadata: DeveloperMetadata[];
}

/** Does one kind of request; `at` begins its refusals. What it gives is the reply. */
export type Request = (draft: Draft, request: JsonObject, at: string) => JsonObject;

/**
 * The sheet that `sheetId` names; 0 when it is not given.
 * @throws GoogleError 400 "No grid with id: …"
 */
export function sheetOf({ sheets }: Pick<Draft, 'sheets'>, place: JsonObject, at: string): Sheet {
  const sheetId = indexAt(place, 'sheetId') ?? 0;
  const sheet = sheets.find((each) => each.sheetId === sheetId);
  if (!sheet) throw invalidArgument(`${at}No grid with id: ${sheetId}`);
  return sheet;
}

/**
 * The paths that `fields` names, written out: `a(b,c)` is `a.b` and `a.c`.
 * @throws GoogleError 400 when there are none
 */
export function paths(request: JsonObject, at: string): string[] {
  const fields = stringAt(request, 'fields');
  if (!fields) {
    throw invalidArgument(
      `${at}At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)`,
    );
  }
  return flattened(parseFieldMask(fields, true));
}

function flattened(mask: FieldMask): string[] {
  return Object.entries(mask).flatMap(([name, below]) =>
    below ? flattened(below).map((path) => `${name}.${path}`) : [name],
  );
}
