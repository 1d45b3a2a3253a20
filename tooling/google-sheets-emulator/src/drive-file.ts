import type { DeveloperMetadata } from './developer-metadata.js';
import type { Sheet } from './sheet.js';

export const SPREADSHEET = 'application/vnd.google-apps.spreadsheet';

/** Who may do what with a file. */
export interface Permission {
  readonly id: string;
  readonly type: 'user';
  readonly role: string;
  readonly emailAddress: string;
}

/** A mail that Google would have sent on sharing. */
export interface Notification {
  readonly emailAddress: string;
  /** ms since the epoch */
  readonly at: number;
}

/** A file in the emulated Drive; a spreadsheet is a file with sheets. */
export interface DriveFile {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly appProperties: Record<string, string>;
  readonly parents: string[];
  readonly trashed: boolean;
  /** ms since the epoch */
  readonly createdTime: number;
  modifiedTime: number;
  /** Grows by one with every change of content or metadata. */
  version: number;
  readonly permissions: Permission[];
  readonly notifications: Notification[];
  /** Empty for files that are not spreadsheets. */
  sheets: Sheet[];
  /** Missing in data files that were written before it was emulated. */
  developerMetadata?: DeveloperMetadata[];
}
