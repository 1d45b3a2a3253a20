import { once } from 'node:events';
import { Command } from '@commander-js/extra-typings';
import type { Logger, WorkerOptions } from '@rowlock/core';
import { type CommandContext, type Session, SILENT } from '../command-context.js';
import { count } from '../count.js';
import { Failure } from '../failure.js';
import { loadModule } from '../module/load-module.js';
import { jobs, number } from '../output/values.js';

export const run = (context: CommandContext) =>
  new Command('run')
    .description('works with the handlers of a module, until Ctrl-C')
    .argument('<module>', 'exports handlers and plugins, one by one or in lists')
    .option('--until-idle', 'ends when no job is due any more')
    .option('--queue <name...>', 'only these queues')
    .option('--concurrency <number>', 'how many runs at once', count, 5)
    .option('--program-version <text>', "the version of the module's program, such as its commit, for people")
    .action(async (path, { untilIdle, queue: queues, concurrency, programVersion: version }) => {
      const program = await loadModule(path, context.complaints);
      const say: Logger['warn'] = (fields, message) => context.complaints.log(`rowlock: ${message}`, fields);
      const options = { concurrency, version, ...(queues && { queues }) };
      await context.withDatabase(
        (session) => (untilIdle === true ? workUntilIdle(session, options) : work(session, options)),
        // A connection for each run, one for statements, and those of calls in handlers.
        {
          connections: 2 * concurrency + 3,
          rowlock: { ...program, log: { ...SILENT, warn: say, error: say } },
        },
      );
    });

async function workUntilIdle({ rowlock, output, terminal }: Session, options: WorkerOptions): Promise<void> {
  const { signal } = terminal;
  const { completed, failed } = await rowlock.runUntilIdle({ ...options, signal });
  tell(output, { completed, failed });
}

async function work({ rowlock, output, terminal }: Session, options: WorkerOptions): Promise<void> {
  const { signal } = terminal;
  const worker = rowlock.worker(options);
  const sums = { completed: 0, failed: 0 };
  worker.on('completed', (_, { size }) => (sums.completed += size));
  worker.on('failed', (_, { size }) => (sums.failed += size));
  const ended = signal.aborted ? Promise.resolve() : once(signal, 'abort');
  // A signal also stops a worker that starts, which a plugin may hold up.
  await Promise.all([worker.start(), ended.then(() => worker.stop())]);
  tell(output, sums);
}

function tell(
  output: Session['output'],
  sums: { readonly completed: number; readonly failed: number },
): void {
  output.one(sums, `${jobs(sums.completed)} completed, ${number(sums.failed)} failed.`);
  if (sums.failed > 0) throw new Failure('');
}
