import type { NewSpreadsheet, PlaceAtGoogle, Row, Spreadsheet } from './spreadsheet.js';

/**
 * The application's own tables. Every method rejects with `DatabaseAwayError` while the database cannot be reached.
 *
 * @typeParam Tx A transaction, the one that jobs are enqueued and settled in too.
 */
export interface SpreadsheetStore<Tx> {
  /** Commits what `work` does, or undoes it if `work` rejects. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  insert(spreadsheet: NewSpreadsheet, tx: Tx): Promise<void>;
  find(id: string): Promise<Spreadsheet | undefined>;
  /** Newest first, at most 200. */
  listOf(owner: string): Promise<readonly Spreadsheet[]>;
  /** Those among `ids` that exist. */
  labels(ids: readonly string[]): Promise<ReadonlyMap<string, Label>>;
  /** The rows as they last came back. */
  rowsOf(id: string): Promise<readonly Row[]>;
  /** Where the spreadsheet is at Google, or undefined as long as it is not there. */
  googleIdOf(id: string): Promise<string | undefined>;
  markCreated(id: string, google: PlaceAtGoogle, tx: Tx): Promise<void>;
  /** Puts rows that came back in the place of those from the time before. */
  replaceRows(id: string, sheet: { columns: readonly string[]; rows: readonly Row[] }, tx: Tx): Promise<void>;
  migrate(): Promise<readonly string[]>;
  /** Resolves when the tables are there to be used. */
  verify(): Promise<void>;
  close(): Promise<void>;
}

/** What the lock picture says of a spreadsheet. */
export interface Label {
  readonly owner: string;
  readonly title: string;
}
