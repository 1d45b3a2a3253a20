import { InvalidInputError, InvalidPayloadError } from '@rowlock/core';
import { CommanderError } from 'commander';
import { Complaints } from './complaints.js';
import { Failure } from './failure.js';
import { program } from './program.js';
import type { Terminal } from './terminal.js';

/**
 * Runs one command.
 *
 * @param args What stands behind `rowlock`.
 * @returns The exit code: 0, 1 when something is wrong in the world, 2 when the words of the call are.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<0 | 1 | 2> {
  const complaints = new Complaints(terminal, args);
  try {
    await program(terminal, complaints).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    // It has written its message already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    // What changes jobs says itself how far it has come.
    complaints.say(isStop(error, terminal) ? 'Stopped. Nothing was changed.' : error);
    return codeOf(error);
  }
}

function codeOf(error: unknown): 1 | 2 {
  if (error instanceof Failure) return error.exitCode;
  return error instanceof InvalidInputError || error instanceof InvalidPayloadError ? 2 : 1;
}

function isStop(error: unknown, { signal }: Terminal): boolean {
  return signal.aborted && (error === signal.reason || Object(error).name === 'AbortError');
}
