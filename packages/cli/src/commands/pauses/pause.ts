import { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../../command-context.js';
import { time } from '../../output/values.js';
import { coming } from '../../times.js';
import { scope, workOf } from './work.js';

export const pause = (context: CommandContext) =>
  new Command('pause')
    .description('stops the claims of a queue, of a kind, of a limit, or all; what runs goes on')
    .addArgument(scope())
    .argument('[name]', 'of the queue, the kind or the limit')
    .option('--until <time>', 'when it ends by itself: a time, or a duration from now', coming)
    .option('--reason <text>', 'for those who wonder')
    .action((given, name, { until, reason }) => {
      const work = workOf(given, name);
      return context.withDatabase(async ({ operator, by, output }) => {
        await operator.jobs.pause(work, {
          ...(until && { until }),
          ...(reason !== undefined && { reason }),
        });
        const paused = { scope: given, name: name ?? '', until: until ?? null, reason: reason ?? null, by };
        output.one(paused, `Paused${until === undefined ? '' : ` until ${time(until)}`}.`);
      });
    });
