import type { CommandContext } from '../../command-context.js';
import { changing } from './changing.js';
import { filterOf } from './filter.js';
import { changeMany } from './many.js';

export const deleteJobs = (context: CommandContext) =>
  changing('delete')
    .description('deletes the settled jobs that a filter finds, with their runs')
    .action(({ most, dryRun, yes, ...filter }) =>
      context.withDatabase((session) => {
        const change = session.operator.jobs.deleteMany.bind(session.operator.jobs);
        const choices = { most, dryRun, yes };
        return changeMany(session, { verb: 'delete', done: 'deleted' }, change, filterOf(filter), choices);
      }),
    );
