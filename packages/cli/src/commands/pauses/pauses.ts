import { Command } from '@commander-js/extra-typings';
import type { PauseView } from '@rowlock/core/types';
import type { CommandContext } from '../../command-context.js';
import type { Column } from '../../output/table.js';
import { time } from '../../output/values.js';

export const pauses = (context: CommandContext) =>
  new Command('pauses')
    .description('what is paused, by whom, and until when')
    .action(() =>
      context.withDatabase(async ({ rowlock, output }) =>
        output.list(await rowlock.jobs.pauses(), COLUMNS, 'Nothing is paused.'),
      ),
    );

const COLUMNS: readonly Column<PauseView>[] = [
  { title: 'SCOPE', of: ({ scope }) => scope },
  { title: 'NAME', of: ({ name }) => name, cut: true },
  { title: 'SINCE', of: ({ pausedAt }) => time(pausedAt) },
  { title: 'UNTIL', of: ({ until }) => time(until) },
  { title: 'BY', of: ({ by }) => by, cut: true },
  { title: 'REASON', of: ({ reason }) => reason ?? '', cut: true },
];
