import { Command } from '@commander-js/extra-typings';
import type { ScheduleView } from '@rowlock/core/types';
import type { CommandContext } from '../../command-context.js';
import type { Column } from '../../output/table.js';
import { lasting, time } from '../../output/values.js';

export const list = (context: CommandContext) =>
  new Command('list')
    .description('the schedules, and when they fire')
    .action(() =>
      context.withDatabase(async ({ rowlock, output }) =>
        output.list(await rowlock.schedules.list(), COLUMNS, 'There is no schedule.'),
      ),
    );

const COLUMNS: readonly Column<ScheduleView>[] = [
  { title: 'NAME', of: ({ name }) => name, cut: true },
  { title: 'KIND', of: ({ kind }) => kind, cut: true },
  { title: 'TIMES', of: ({ cron, everyMs }) => cron ?? `every ${lasting(everyMs)}` },
  { title: 'ZONE', of: ({ timeZone }) => timeZone ?? '' },
  { title: 'NEXT', of: ({ nextAt }) => time(nextAt) },
  { title: 'LAST', of: ({ firedAt }) => time(firedAt) },
  { title: 'STATE', of: stateOf, cut: true },
];

function stateOf({ pausedBy, orphaned }: ScheduleView): string {
  if (pausedBy !== null) return `paused by ${pausedBy}`;
  return orphaned ? 'of no live program' : '';
}
