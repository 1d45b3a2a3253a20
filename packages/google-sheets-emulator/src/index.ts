export type { Call } from './calls.js';
export type { CellValue } from './cell.js';
export type { Notification, Permission } from './drive-file.js';
export { type EmulatorOptions, type GoogleSheetsEmulator, startGoogleSheetsEmulator } from './emulator.js';
export type { Fault } from './faults.js';
export type { Api } from './google-error.js';
export { GOOGLE_QUOTAS, type Quotas } from './quota.js';
export type { SheetView, SpreadsheetView } from './spreadsheet-view.js';
export type { TokenOptions } from './tokens.js';
