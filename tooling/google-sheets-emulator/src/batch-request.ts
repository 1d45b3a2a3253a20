import type { DeveloperMetadata } from './developer-metadata.js';
import type { DriveFile } from './drive-file.js';
import { type FieldMask, InvalidFieldMask, parseFieldMask, type Shape } from './field-mask.js';
import { invalidArgument } from './google-error.js';
import { indexAt, type JsonObject, stringAt } from './json.js';
import { MESSAGES } from './messages.js';
import type { Sheet } from './sheet.js';

/** The spreadsheet while a batch is at work on it: a copy, so that a refused request leaves nothing behind. */
export interface Draft extends Pick<DriveFile, 'sheets'> {
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
 * @param message the message whose members they are
 * @throws GoogleError 400 when there are none, or one that the message does not have
 */
export function paths(request: JsonObject, message: string, at: string): string[] {
  const fields = stringAt(request, 'fields');
  if (!fields) {
    throw invalidArgument(
      `${at}At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)`,
    );
  }
  try {
    return flattened(parseFieldMask(fields, shapeOf(message)));
  } catch (error) {
    if (!(error instanceof InvalidFieldMask)) throw error;
    throw invalidArgument(`${at}Invalid field: ${error.field}`);
  }
}

/** What may be named in a message, each member's own members below it. */
function shapeOf(message: string): Shape | true {
  const members = MESSAGES[message];
  if (members === undefined) return true;
  const shapes = Object.entries(members).map(([name, type]) => {
    const each = typeof type === 'string' ? type : type[0];
    return [name, shapeOf(each)] as const;
  });
  return Object.fromEntries(shapes);
}

function flattened(mask: FieldMask): string[] {
  return Object.entries(mask).flatMap(([name, below]) =>
    below ? flattened(below).map((path) => `${name}.${path}`) : [name],
  );
}
