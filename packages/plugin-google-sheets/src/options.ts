import type { Duration, RunJob } from '@rowlock/core';
import type { ReadContent } from './content.js';
import type { UpdateSpreadsheetJob } from './jobs.js';
import type { SpreadsheetFile, Spreadsheets, SpreadsheetsOptions } from './spreadsheets.js';

/** What the application gives the plugin: a way to Google, and what to do in its own tables. */
export type GoogleSheetsOptions<Tx> = Application<Tx> &
  (SpreadsheetsOptions | { readonly spreadsheets: Spreadsheets });

/** The application's side. `Tx` is the driver's transaction: what is written through it commits with the job, or not at all. */
export interface Application<Tx> {
  /** Where the "Send back" link in the sheet leads: a page that enqueues `UpdateSpreadsheet` with this key. */
  readonly sendBackUrl: (key: string) => string;
  /** Keeps the link of a spreadsheet that is ready. */
  readonly onCreated: (created: Created<Tx>) => void | Promise<void>;
  /**
   * Google's id for a key, as `onCreated` kept it; undefined or null when there is none. Asked before the calls to Google, outside
   * the job's transaction: a create is committed before an update of its key begins.
   */
  readonly resolve: (key: string) => MaybeId | Promise<MaybeId>;
  /** Takes in the rows. What it throws undoes what it wrote, and is a retry. */
  readonly onRows: (received: Received<Tx>) => void | Promise<void>;
  /**
   * How a job is kept while its handler waits for Google. With `hold`, the default, the claim's transaction is open all the time;
   * with `lease` it begins at the first use of `tx`: for a create after its calls, for an update before its last one.
   */
  readonly claim?: 'hold' | 'lease';
  /** The longest that one run may take; default 60 s. */
  readonly timeout?: Duration;
}

export interface Created<Tx> extends SpreadsheetFile {
  readonly key: string;
  /** Why Google did not let the person of `shareWith` edit it, e.g. for want of a Google account; undefined when it did. */
  readonly notShared?: string;
  readonly tx: Tx;
}

/** Header and rows as they stand in the sheet now: users can change both. */
export interface Received<Tx> extends ReadContent {
  readonly key: string;
  readonly spreadsheetId: string;
  /** The requests that this reading answers, in the order in which they were made. */
  readonly jobs: readonly RunJob<UpdateSpreadsheetJob>[];
  readonly tx: Tx;
  /** Aborted when the run must end; `reason` says why. */
  readonly signal: AbortSignal;
}

type MaybeId = string | null | undefined;
