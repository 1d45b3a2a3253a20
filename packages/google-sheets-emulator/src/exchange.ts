import type { JsonObject } from './json.js';
import type { Store } from './store.js';

/** One API request, taken apart, as the operations see it. */
export interface Exchange {
  readonly store: Store;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
  /** The e-mail address behind the access token. */
  readonly user: string;
  /** Where people reach the emulator, without a slash at the end. */
  readonly publicUrl: string;
}

/** The page on which a person sees a spreadsheet. */
export function editUrl(publicUrl: string, id: string): string {
  return `${publicUrl}/spreadsheets/d/${id}/edit`;
}
