import { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../../command-context.js';
import { scope, workOf } from './work.js';

export const resume = (context: CommandContext) =>
  new Command('resume')
    .description('ends a pause')
    .addArgument(scope())
    .argument('[name]', 'of the queue, the kind or the limit')
    .action((given, name) => {
      const work = workOf(given, name);
      return context.withDatabase(async ({ operator, output }) => {
        await operator.jobs.resume(work);
        output.one({ scope: given, name: name ?? '' }, 'Resumed.');
      });
    });
