import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from '../src/index.js';

interface CallOptions {
  readonly url?: string | undefined;
  /** What is typed, or piped in. */
  readonly stdin?: string | Uint8Array;
  /** The columns of the terminal. Without them there is none. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
  /** Gets what is written, as it comes. */
  readonly onWrite?: (text: string) => void;
}

interface Called {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in this process. */
export async function call(
  args: readonly string[],
  { url, stdin = '', columns, signal = new AbortController().signal, onWrite }: CallOptions = {},
): Promise<Called> {
  const tty = columns === undefined ? {} : { isTTY: true, columns };
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const read = [text(stdout), text(stderr)];
  if (onWrite !== undefined) stdout.on('data', (chunk) => onWrite(String(chunk)));
  const code = await run(args, {
    stdin: Object.assign(Readable.from([stdin]), tty),
    stdout: Object.assign(stdout, tty),
    stderr: Object.assign(stderr, tty),
    env: { DATABASE_URL: url },
    signal,
  });
  stdout.end();
  stderr.end();
  const [out = '', err = ''] = await Promise.all(read);
  return { code, stdout: out, stderr: err };
}

/** What doctor finds beside the settings of the servers of tests, which do not write through. */
export function ofDatabase(findings: readonly Record<string, unknown>[]): typeof findings {
  return findings.filter(({ check, what }) => check !== 'durability' || !`${what}`.startsWith('The server'));
}

/** The objects of `--json`, one a line. */
export function objects(stdout: string): readonly Record<string, unknown>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
