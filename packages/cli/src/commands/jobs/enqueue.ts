import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Command } from '@commander-js/extra-typings';
import type { Enqueueable, Json } from '@rowlock/core';
import type { CommandContext } from '../../command-context.js';
import { Misuse } from '../../failure.js';
import type { Terminal } from '../../terminal.js';
import { duration, future } from '../../times.js';

export const enqueue = (context: CommandContext) =>
  new Command('enqueue')
    .description('adds a job')
    .argument('<kind>', 'the kind of its handler')
    .argument('[payload]', "JSON; '-' reads it from standard input", '{}')
    .option('--queue <name>', 'the queue of its handler', 'default')
    .option('--key <key>', 'the entity that it is about')
    .option('--priority <number>', 'lower runs sooner', Number)
    .option('--delay <duration>', 'how long it waits', duration)
    .option('--run-at <time>', 'when it may start: a time, or a duration from now', future)
    .option('--unique <key>', 'refuses a second job with this unique key while the first is outstanding')
    .option('--after <id...>', 'waits until these jobs have ended')
    .option('--attempts <number>', 'how often it is tried', Number)
    .addHelpText(
      'after',
      "\nThe handler's schema checks the payload when the job is claimed. Its limits do not apply.",
    )
    .action((kind, payload, { queue, ...given }) =>
      context.withDatabase(async ({ operator, output, terminal }) => {
        const json = jsonOf(payload === '-' ? await input(terminal) : payload);
        const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
        const enqueued = await operator.enqueue({ ...ANYTHING, kind, queue }, { payload: json, ...options });
        const { outcome, publicId } = enqueued;
        output.one(
          enqueued,
          outcome === 'enqueued' ? `Job ${publicId} is enqueued.` : `Job ${publicId} has this unique key.`,
        );
      }),
    );

/** Accepts each payload: the code of the handler is not here. */
const ANYTHING = {
  payload: { '~standard': { version: 1, vendor: 'rowlock', validate: (value: unknown) => ({ value }) } },
} as const satisfies Pick<Enqueueable, 'payload'>;

/** What is piped in. @throws Misuse, because a byte that is no UTF-8 would become another character without a word */
async function input({ stdin, signal }: Terminal): Promise<string> {
  const bytes = await buffer(addAbortSignal(signal, stdin));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Misuse('The payload is not UTF-8: convert it first, as by iconv.');
  }
}

/** @throws Misuse */
function jsonOf(payload: string): Json {
  try {
    return JSON.parse(payload);
  } catch {
    throw new Misuse('The payload is not JSON.');
  }
}
