// What the API answers, and the page reads.

/** A spreadsheet as its owner sees it. */
export interface SpreadsheetView {
  readonly id: string;
  /** What stands for it in the lock picture. */
  readonly mark: string;
  readonly title: string;
  readonly columns: readonly string[];
  readonly status: SpreadsheetStatus;
  /** Where to open it, once it is ready. */
  readonly url: string | null;
  /** Why Google did not share it with its owner. */
  readonly notShared: string | null;
  readonly createdAt: string;
  /** How many times its rows came back, and when last. */
  readonly returns: number;
  readonly returnedAt: string | null;
}

export type SpreadsheetStatus = 'waiting' | 'being-created' | 'ready' | 'failed' | 'cancelled';

export interface SpreadsheetDetails extends SpreadsheetView {
  /** The newest 100. */
  readonly jobs: readonly JobSummary[];
  /** The rows as they last came back. */
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
}

/** A request as the owner of its spreadsheet sees it. */
export interface JobSummary {
  readonly id: string;
  readonly spreadsheet: string | null;
  readonly kind: string;
  readonly status: JobStatus;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** The run that settled it, or that has it now. */
  readonly run: string | null;
  /** The worker that has it now. */
  readonly worker: string | null;
  readonly progress: unknown;
  readonly output: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export type JobStatus = 'new' | 'in-progress' | 'complete' | 'error' | 'cancelled';

/** What was accepted: the spreadsheet and the job to ask for. */
export interface Accepted {
  readonly id: string;
  readonly job: string;
}

export interface Session {
  readonly user: { readonly name: string; readonly until: string } | null;
  /** How one signs in: by name in the demo, else with a token of the identity provider. */
  readonly signIn: 'name' | 'token';
}
