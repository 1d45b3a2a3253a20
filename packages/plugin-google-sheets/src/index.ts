export type { CallLimits } from './backoff.js';
export type { CellValue, Content, ReadContent, ReadSheet } from './content.js';
export { GoogleAnswerError, GoogleRequestError, GoogleUnavailableError, SheetError } from './errors.js';
export type { GoogleClientOptions, GoogleCredentials, ServiceAccountKey } from './google-client.js';
export {
  CreateSpreadsheet,
  type CreateSpreadsheetJob,
  SHEETS_LIMIT,
  UpdateSpreadsheet,
  type UpdateSpreadsheetJob,
} from './jobs.js';
export { LAYOUT } from './layout.js';
export type { Application, Created, GoogleSheetsOptions, Received } from './options.js';
export { googleSheets } from './plugin.js';
export {
  googleSpreadsheets,
  type SpreadsheetFile,
  type Spreadsheets,
  type SpreadsheetsOptions,
} from './spreadsheets.js';
