import type { Api } from './google-error.js';

/** One API call as it was received. */
export interface Call {
  readonly api: Api;
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  /** The status answered; 0 while under way, and for a connection that was cut. */
  readonly status: number;
  /** When it arrived, ms since the epoch by the emulator's clock. */
  readonly at: number;
  /** The e-mail address behind the token; undefined for a call without a usable one. */
  readonly user: string | undefined;
}

// A demo may run for weeks: only the latest calls are kept.
const KEPT = 10_000;

/** The calls made, oldest first. Fetching an access token is not one of them. */
export class CallLog {
  #calls: { -readonly [K in keyof Call]: Call[K] }[] = [];

  /** Notes a call; the entry given back is filled in when it ends. */
  begin(api: Api, method: string, path: string, at: number) {
    const call = { api, method, path, status: 0, at, user: undefined as string | undefined };
    this.#calls.push(call);
    if (this.#calls.length > KEPT) this.#calls.shift();
    return call;
  }

  list(): readonly Call[] {
    return this.#calls.map((call) => ({ ...call }));
  }

  clear(): void {
    this.#calls = [];
  }
}
