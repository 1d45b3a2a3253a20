import { Command } from '@commander-js/extra-typings';
import type { ScheduleView } from '@rowlock/core/types';
import type { CommandContext } from '../../command-context.js';
import type { Column } from '../../output/table.js';
import { lasting, number, time } from '../../output/values.js';

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
  { title: 'TIMES', of: timesOf },
  { title: 'ZONE', of: ({ timeZone }) => timeZone ?? '' },
  { title: 'NEXT', of: ({ nextAt }) => time(nextAt) },
  { title: 'LAST', of: ({ firedAt }) => time(firedAt) },
  { title: 'SKIPPED', of: ({ skipped }) => (skipped === null ? '' : number(skipped.count)), align: 'right' },
  { title: 'STATE', of: stateOf, cut: true },
];

function timesOf({ cron, everyMs }: ScheduleView): string {
  return cron ?? (everyMs === null ? '' : `every ${lasting(everyMs)}`);
}

function stateOf({ pausedBy, orphaned, broken, skipped, firedAt }: ScheduleView): string {
  if (pausedBy !== null) return `paused by ${pausedBy}`;
  if (broken !== null) return `broken: ${broken.error}`;
  if (skipped !== null && skipped.lastTick.getTime() > (firedAt?.getTime() ?? 0))
    return `skipped ${time(skipped.lastTick)}, as job ${skipped.job} was outstanding`;
  return orphaned ? 'of no live program' : '';
}
