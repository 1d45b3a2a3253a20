import { checkOptions, definePlugin, InvalidInputError, type Plugin } from '@rowlock/core';
import { createSpreadsheet } from './create-spreadsheet.js';
import type { Application, GoogleSheetsOptions } from './options.js';
import { SPREADSHEETS_OPTIONS, spreadsheetsOf } from './spreadsheets.js';
import { updateSpreadsheet } from './update-spreadsheet.js';

/**
 * The handlers of `CreateSpreadsheet` and `UpdateSpreadsheet`, for the workers. What only enqueues needs no plugin: it passes
 * `CreateSpreadsheet` and `UpdateSpreadsheet` to `rowlock.enqueue`.
 * @throws Error when a key file cannot be read or is not a service account's key
 * @throws InvalidInputError for an unknown option, a missing function, or a `subject` without a key
 */
export function googleSheets<Tx>(options: GoogleSheetsOptions<Tx>): Plugin<Tx> {
  checkOptions('googleSheets()', options, OPTIONS);
  for (const name of FUNCTIONS)
    if (typeof options[name] !== 'function')
      throw new InvalidInputError(`googleSheets() needs the function ${name}.`);
  const spreadsheets = 'spreadsheets' in options ? options.spreadsheets : spreadsheetsOf(options);
  return definePlugin<Tx>({
    name: 'google-sheets',
    handlers: [createSpreadsheet(spreadsheets, options), updateSpreadsheet(spreadsheets, options)],
  });
}

const FUNCTIONS = [
  'sendBackUrl',
  'onCreated',
  'resolve',
  'onRows',
] as const satisfies (keyof Application<unknown>)[];

const OPTIONS: readonly string[] = [
  ...FUNCTIONS,
  'claim',
  'timeout',
  'spreadsheets',
  ...SPREADSHEETS_OPTIONS,
];
