import { once } from 'node:events';
import { Command } from '@commander-js/extra-typings';
import type { Logger, Worker } from '@rowlock/core';
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
    .action(async (path, { untilIdle, queue: queues, concurrency }) => {
      const program = await loadModule(path);
      const say: Logger['warn'] = (fields, message) => context.complaints.log(`rowlock: ${message}`, fields);
      await context.withDatabase(
        (session) => {
          const worker = session.rowlock.worker({ concurrency, ...(queues && { queues }) });
          return work(session, worker, untilIdle === true);
        },
        // A connection for each run, one for statements, and those of calls in handlers.
        {
          connections: 2 * concurrency + 3,
          rowlock: { ...program, log: { ...SILENT, warn: say, error: say } },
        },
      );
    });

async function work(
  { output, terminal }: Session,
  worker: Worker<unknown>,
  untilIdle: boolean,
): Promise<void> {
  const { signal } = terminal;
  const sums = { completed: 0, failed: 0 };
  worker.on('completed', (_, { size }) => (sums.completed += size));
  worker.on('failed', (_, { size }) => (sums.failed += size));
  const ended = signal.aborted ? Promise.resolve() : once(signal, 'abort');
  const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
  await worker.start();
  await (untilIdle ? Promise.race([ended, idle]) : ended);
  await worker.stop();
  output.one(sums, `${jobs(sums.completed)} completed, ${number(sums.failed)} failed.`);
  if (sums.failed > 0) throw new Failure('');
}
