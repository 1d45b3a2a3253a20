import { Command } from '@commander-js/extra-typings';
import type { LimitView } from '@rowlock/core';
import { count } from '../../count.js';
import type { Kit } from '../../kit.js';
import type { Column } from '../../output/table.js';
import { counted, number, time } from '../../output/values.js';
import { who } from '../../who.js';

export const limits = (kit: Kit) =>
  new Command('limits')
    .description('limits in use, and their sizes at run time')
    .addCommand(list(kit))
    .addCommand(set(kit))
    .addCommand(reset(kit));

const list = (kit: Kit) =>
  new Command('list')
    .description('the limits in use and those whose size was set')
    .action(() =>
      kit.withDatabase(async ({ rowlock, output }) =>
        output.list(await rowlock.limits.list(), COLUMNS, 'No limit is in use, and no size was set.'),
      ),
    );

const set = (kit: Kit) =>
  new Command('set')
    .description('sets the size of a limit for all, in place of what handlers say')
    .argument('<name>', 'of the limit')
    .argument('<size>', 'how many runs at once', count)
    .action((name, size) =>
      kit.withDatabase(async ({ rowlock, output }) => {
        await rowlock.limits.set(name, size, { by: who() });
        output.one(
          { name, max: size },
          `The limit ${name} has ${number(size)} ${size === 1 ? 'slot' : 'slots'}.`,
        );
      }),
    );

const reset = (kit: Kit) =>
  new Command('reset')
    .description('what handlers say is the size again')
    .argument('<name>', 'of the limit')
    .action((name) =>
      kit.withDatabase(async ({ rowlock, output }) => {
        await rowlock.limits.reset(name);
        output.one({ name, max: null }, `Handlers say the size of the limit ${name}.`);
      }),
    );

const COLUMNS: readonly Column<LimitView>[] = [
  { title: 'NAME', of: ({ name }) => name, cut: true },
  { title: 'SIZE', of: ({ max }) => number(max), align: 'right' },
  { title: 'TAKEN', of: ({ taken }) => number(taken), align: 'right' },
  { title: 'WAITING', of: ({ waiting }) => counted(waiting), align: 'right' },
  { title: 'SET', of: ({ setAt }) => time(setAt) },
  { title: 'BY', of: ({ setBy }) => setBy ?? '-', cut: true },
];
