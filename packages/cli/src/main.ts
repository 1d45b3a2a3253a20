import { run } from './run.js';

/**
 * The program: runs one command in this process, and ends it.
 *
 * @param args What stands behind `rowlock`.
 */
export async function main(args: readonly string[]): Promise<void> {
  const interrupted = new AbortController();
  // A second signal ends the process at once, as it does without a listener.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());

  // The reader, `head` for one, has read enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });

  const { stdin, stdout, stderr, env } = process;
  const code = await run(args, { stdin, stdout, stderr, env, signal: interrupted.signal });
  // What is still in the pipe is written first, even if a handler has left something open.
  stdout.write('', () => stderr.write('', () => process.exit(code)));
}
