import { definePlugin, type Plugin } from '@rowlock/core';
import { createSpreadsheet } from './create-spreadsheet.js';
import type { GoogleSheetsOptions } from './options.js';
import { googleSpreadsheets } from './spreadsheets.js';
import { updateSpreadsheet } from './update-spreadsheet.js';

/**
 * The handlers of `CreateSpreadsheet` and `UpdateSpreadsheet`, for the workers. What only enqueues needs no plugin: it passes
 * `CreateSpreadsheet` and `UpdateSpreadsheet` to `rowlock.enqueue`.
 * @throws Error when a key file cannot be read or is not a service account's key, and TypeError for a `subject` without a key
 */
export function googleSheets<Tx>(options: GoogleSheetsOptions<Tx>): Plugin<Tx> {
  const spreadsheets = 'spreadsheets' in options ? options.spreadsheets : googleSpreadsheets(options);
  return definePlugin<Tx>({
    name: 'google-sheets',
    handlers: [createSpreadsheet(spreadsheets, options), updateSpreadsheet(spreadsheets, options)],
  });
}
