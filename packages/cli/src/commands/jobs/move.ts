import type { CommandContext } from '../../command-context.js';
import { changing } from './changing.js';
import { filterOf } from './filter.js';
import { changeMany } from './many.js';

export const move = (context: CommandContext) =>
  changing('move')
    .description('moves the waiting jobs that a filter finds to another queue')
    .argument('<to>', 'the queue to which they move')
    .action((to, { most, dryRun, yes, ...filter }) =>
      context.withDatabase((session) => {
        const { jobs } = session.operator;
        const choices = { most, dryRun, yes };
        return changeMany(
          session,
          { verb: 'move', done: 'moved' },
          (found, options) => jobs.updateMany(found, { queue: to }, options),
          filterOf(filter),
          choices,
        );
      }),
    );
