import { run } from './run.js';

/** The longest time of Node's timers, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * The program: runs one command in this process, and ends it.
 *
 * @param args What stands behind `rowlock`.
 */
export async function main(args: readonly string[]): Promise<void> {
  let unwritten: Error | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader, `head` for one, has read enough.
    if (error.code === 'EPIPE') process.exit(0);
    unwritten = error;
  });
  // Where nobody reads the complaints, or a disk is full of them, what is done goes on, and its exit code says how it ended.
  process.stderr.on('error', () => {});

  const { stdin, stdout, stderr, env } = process;
  let interrupted: AbortSignal | null = null;
  const terminal = {
    ...{ stdin, stdout, stderr, env },
    get signal() {
      interrupted ??= interruption();
      return interrupted;
    },
  };
  // The timers of a worker keep no process, and its connections may be closed before it has stopped.
  setInterval(() => {}, LONGEST_MS);
  const code = await run(args, terminal);
  // What is still in the pipe is written first, even if a handler has left something open.
  stdout.write('', (refused) => {
    const reason = Object(refused).code === 'EPIPE' ? undefined : (unwritten ?? refused);
    if (reason) stderr.write(`The standard output has not taken all that was found: ${reason.message}.\n`);
    stderr.write('', () => process.exit(reason && code === 0 ? 1 : code));
  });
}

/** Aborted by the first Ctrl-C. The second one ends the process, as the first does where no command reads this. */
function interruption(): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  return interrupted.signal;
}
