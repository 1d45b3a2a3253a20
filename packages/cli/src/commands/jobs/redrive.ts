import type { CommandContext } from '../../command-context.js';
import { changing } from './changing.js';
import { each } from './each.js';
import { filterOf } from './filter.js';
import { changeMany } from './many.js';

export const redrive = (context: CommandContext) =>
  changing('redrive')
    .description(
      'gives failed or cancelled jobs all their attempts again: those named, or those that a filter finds',
    )
    .argument('[ids...]', 'public ids')
    .action((ids, { most, dryRun, yes, ...filter }) =>
      context.withDatabase((session) => {
        const { operator } = session;
        if (ids.length > 0)
          return each(session, ids, filter, (id) => operator.redrive(id).then(() => 'redriven'));
        const change = operator.jobs.redriveMany.bind(operator.jobs);
        return changeMany(session, { verb: 'redrive', done: 'redriven' }, change, filterOf(filter), {
          most,
          dryRun,
          yes,
        });
      }),
    );
