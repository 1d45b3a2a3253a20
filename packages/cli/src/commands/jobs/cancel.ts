import type { CommandContext } from '../../command-context.js';
import { changing } from './changing.js';
import { each } from './each.js';
import { filterOf } from './filter.js';
import { changeMany } from './many.js';

export const cancel = (context: CommandContext) =>
  changing('cancel')
    .description('cancels jobs that wait or run: those named, or those that a filter finds')
    .argument('[ids...]', 'public ids')
    .action((ids, { most, dryRun, yes, ...filter }) =>
      context.withDatabase((session) => {
        const { operator } = session;
        if (ids.length > 0) return each(session, ids, filter, (id) => operator.cancel(id));
        const change = operator.jobs.cancelMany.bind(operator.jobs);
        return changeMany(session, { verb: 'cancel', done: 'cancelled' }, change, filterOf(filter), {
          most,
          dryRun,
          yes,
        });
      }),
    );
