import type { JsonObject } from './json.js';
import type { Store } from './store.js';

/** How Drive's search falls short. Google promises neither that it is up to date nor that a page has files. */
export interface SearchOptions {
  /** For so many ms after it was made a file is not found; default 0. Its id always leads to it. */
  readonly lagMs?: number;
  /** So many pages without files, each with a `nextPageToken`, come before the first one with some; default 0. */
  readonly emptyPages?: number;
}

/** One API request, taken apart, as the operations see it. */
export interface Exchange {
  readonly store: Store;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
  /** The e-mail address behind the access token. */
  readonly user: string;
  /** Where people reach the emulator, without a slash at the end. */
  readonly publicUrl: string;
  readonly search: SearchOptions;
}

/** The page on which a person sees a spreadsheet. */
export function editUrl(publicUrl: string, id: string): string {
  return `${publicUrl}/spreadsheets/d/${id}/edit`;
}
