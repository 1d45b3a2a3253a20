import { Command } from '@commander-js/extra-typings';
import type { RateView } from '@rowlock/core';
import { count } from '../../count.js';
import type { Kit } from '../../kit.js';
import type { Column } from '../../output/table.js';
import { counted, lasting, number, time } from '../../output/values.js';
import { duration } from '../../times.js';
import { who } from '../../who.js';

export const rates = (kit: Kit) =>
  new Command('rates')
    .description('rates in use, and their numbers at run time')
    .addCommand(list(kit))
    .addCommand(set(kit))
    .addCommand(reset(kit));

const list = (kit: Kit) =>
  new Command('list')
    .description('the rates in use and those whose numbers were set')
    .action(() =>
      kit.withDatabase(async ({ rowlock, output }) =>
        output.list(await rowlock.rates.list(), COLUMNS, 'No rate is in use, and no numbers were set.'),
      ),
    );

const set = (kit: Kit) =>
  new Command('set')
    .description('sets the numbers of a rate for all, in place of what handlers say')
    .argument('<name>', 'of the rate')
    .argument('<starts>', 'how many runs start', count)
    .argument('<per>', 'in which time: a duration', duration)
    .option('--burst <number>', 'how many may start at once', count, 1)
    .action((name, limit, per, { burst }) =>
      kit.withDatabase(async ({ rowlock, output }) => {
        await rowlock.rates.set(name, { limit, per, burst }, { by: who() });
        const said = `The rate ${name} has ${number(limit)} starts in ${lasting(per)}, ${number(burst)} at once.`;
        output.one({ name, limit, perMs: per, burst }, said);
      }),
    );

const reset = (kit: Kit) =>
  new Command('reset')
    .description('what handlers say are the numbers again')
    .argument('<name>', 'of the rate')
    .action((name) =>
      kit.withDatabase(async ({ rowlock, output }) => {
        await rowlock.rates.reset(name);
        output.one({ name, limit: null }, `Handlers say the numbers of the rate ${name}.`);
      }),
    );

const COLUMNS: readonly Column<RateView>[] = [
  { title: 'NAME', of: ({ name }) => name, cut: true },
  { title: 'STARTS', of: ({ limit }) => number(limit), align: 'right' },
  { title: 'PER', of: ({ perMs }) => lasting(perMs), align: 'right' },
  { title: 'BURST', of: ({ burst }) => number(burst), align: 'right' },
  { title: 'WAITING', of: ({ waiting }) => counted(waiting), align: 'right' },
  { title: 'NEXT', of: ({ nextAt }) => time(nextAt) },
  { title: 'SET', of: ({ setAt }) => time(setAt) },
  { title: 'BY', of: ({ setBy }) => setBy ?? '-', cut: true },
];
