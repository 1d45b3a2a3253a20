import { Command } from '@commander-js/extra-typings';
import type { LimitView } from '@rowlock/core/types';
import type { CommandContext } from '../../command-context.js';
import { count } from '../../count.js';
import type { Column } from '../../output/table.js';
import { counted, lasting, number, time } from '../../output/values.js';
import { duration } from '../../times.js';

export const limits = (context: CommandContext) =>
  new Command('limits')
    .description('limits in use, and their numbers at run time')
    .addCommand(list(context))
    .addCommand(set(context))
    .addCommand(reset(context));

const list = (context: CommandContext) =>
  new Command('list')
    .description('the limits in use and those whose numbers were set')
    .action(() =>
      context.withDatabase(async ({ rowlock, output }) =>
        output.list(await rowlock.limits.list(), COLUMNS, 'No limit is in use, and none was set.'),
      ),
    );

const set = (context: CommandContext) =>
  new Command('set')
    .description('sets the numbers of a limit for all; what is left out is as handlers say')
    .argument('<name>', 'of the limit')
    .option('--max <number>', 'how many runs at once', count)
    .option('--starts <number>', 'how many runs may start', count)
    .option('--per <duration>', 'in which time', duration)
    .option('--burst <number>', 'how many may start at once', count)
    .action((name, options) =>
      context.withDatabase(async ({ operator, output }) => {
        await operator.limits.set(name, options);
        const { max, starts, per, burst = 1 } = options;
        const said = [
          max !== undefined && `${number(max)} at once`,
          starts !== undefined &&
            `${number(starts)} starts in ${lasting(per)}, ${number(burst)} of them at once`,
        ];
        const rate = starts !== undefined && { starts, perMs: per, burst };
        output.one(
          { name, ...(max !== undefined && { max }), ...rate },
          `The limit ${name} allows ${said.filter(Boolean).join(', and ')}.`,
        );
      }),
    );

const reset = (context: CommandContext) =>
  new Command('reset')
    .description('what handlers say are the numbers again')
    .argument('<name>', 'of the limit')
    .action((name) =>
      context.withDatabase(async ({ operator, output }) => {
        await operator.limits.reset(name);
        output.one({ name }, `Handlers say the numbers of the limit ${name}.`);
      }),
    );

const COLUMNS: readonly Column<LimitView>[] = [
  { title: 'NAME', of: ({ name }) => name, cut: true },
  { title: 'MAX', of: ({ max }) => number(max), align: 'right' },
  { title: 'TAKEN', of: ({ taken }) => number(taken), align: 'right' },
  { title: 'STARTS', of: ({ starts }) => number(starts), align: 'right' },
  { title: 'PER', of: ({ perMs }) => lasting(perMs), align: 'right' },
  { title: 'BURST', of: ({ burst }) => number(burst), align: 'right' },
  { title: 'NEXT', of: ({ nextAt }) => time(nextAt) },
  { title: 'WAITING', of: ({ waiting }) => counted(waiting), align: 'right' },
  { title: 'SET', of: ({ setAt }) => time(setAt) },
  { title: 'BY', of: ({ setBy }) => setBy ?? '-', cut: true },
];
