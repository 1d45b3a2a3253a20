import { inspect } from 'node:util';
import { shown } from './secrets.js';
import type { Terminal } from './terminal.js';

/** Standard error, for sentences: each is on one line, without secrets and without what a terminal would interpret. */
export class Complaints {
  readonly #stderr: Terminal['stderr'];
  readonly #words: readonly string[];

  /** @param args The words of the call. */
  constructor({ stderr, env }: Pick<Terminal, 'stderr' | 'env'>, args: readonly string[]) {
    this.#stderr = stderr;
    this.#words = [...args, env.DATABASE_URL ?? ''];
  }

  /** @param error Its message is the sentence. A text is its own. */
  say(error: unknown): void {
    const sentence = shown(sentenceOf(error), this.#words);
    if (sentence !== '') this.#stderr.write(`${sentence}\n`);
  }

  /** A line of a log, and what belongs to it, which may be an error with its stack. */
  log(message: string, fields: object): void {
    for (const line of `${message} ${inspect(fields)}`.split('\n')) this.say(line);
  }
}

/** An error of a connection that was tried at several addresses has its messages in its parts. */
function sentenceOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(sentenceOf).join(' ');
  return error instanceof Error ? error.message : String(error);
}
