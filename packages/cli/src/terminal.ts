import type { Readable, Writable } from 'node:stream';

/** What a command reads, writes, and is ended by. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C. Only a command that ends by itself reads it: until then Ctrl-C ends the program. */
  readonly signal: AbortSignal;
}
