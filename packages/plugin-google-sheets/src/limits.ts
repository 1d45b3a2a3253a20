/** How large a new spreadsheet can be. */
export const MAX_COLUMNS = 50;
export const MAX_ROWS = 5_000;

/** How much Google's answer may be when a sheet is taken back: a cell can have 50,000 characters. In bytes. */
export const MAX_ANSWER = 32 * 1024 * 1024;

/** Room below the data for what the user adds. */
export const SPARE_ROWS = 500;
