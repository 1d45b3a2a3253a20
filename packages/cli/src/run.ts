import { InvalidInputError, InvalidPayloadError } from '@rowlock/core';
import { CommanderError } from 'commander';
import { Failure } from './failure.js';
import { plain } from './output/plain.js';
import { program } from './program.js';
import { withoutSecrets } from './secrets.js';
import type { Terminal } from './terminal.js';

/**
 * Runs one command.
 *
 * @param args What stands behind `rowlock`.
 * @returns The exit code: 0, 1 when something is wrong in the world, 2 when the words of the call are.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<0 | 1 | 2> {
  try {
    await program(terminal).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    // It has written its message already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const message = sentenceOf(error);
    if (message !== '') terminal.stderr.write(`${plain(withoutSecrets(message))}\n`);
    return codeOf(error);
  }
}

function codeOf(error: unknown): 1 | 2 {
  if (error instanceof Failure) return error.exitCode;
  return error instanceof InvalidInputError || error instanceof InvalidPayloadError ? 2 : 1;
}

/** An error of a connection that was tried at several addresses has its messages in its parts. */
function sentenceOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(sentenceOf).join(' ');
  return error instanceof Error ? error.message : String(error);
}
