import { Command } from '@commander-js/extra-typings';
import type { WorkerView } from '@rowlock/core/types';
import type { CommandContext } from '../command-context.js';
import type { Column } from '../output/table.js';
import { megabytes, number, time } from '../output/values.js';

export const workers = (context: CommandContext) =>
  new Command('workers')
    .description('the workers that are alive, and those that ended within the last hour')
    .action(() =>
      context.withDatabase(async ({ rowlock, output }) =>
        output.list(await rowlock.insight.workers(), COLUMNS, 'No worker is alive.'),
      ),
    );

const COLUMNS: readonly Column<WorkerView>[] = [
  { title: 'NAME', of: ({ name }) => name, cut: true },
  { title: 'HOST', of: ({ host }) => host, cut: true },
  { title: 'PID', of: ({ pid }) => String(pid), align: 'right' },
  { title: 'VERSION', of: ({ version }) => version ?? '-', cut: true },
  { title: 'ALIVE', of: ({ alive }) => (alive ? 'yes' : 'no') },
  { title: 'STARTED', of: ({ startedAt }) => time(startedAt) },
  { title: 'SLOTS', of: slots, align: 'right' },
  {
    title: 'RUNNING',
    of: ({ running }) => number(running.reduce((sum, { jobs }) => sum + jobs, 0)),
    align: 'right',
  },
  { title: 'MEMORY', of: ({ memory }) => megabytes(memory), align: 'right' },
  { title: 'QUEUES', of: ({ queues }) => queues.join(', '), cut: true },
];

/** `2/5`: those in use, of their number. */
function slots({ running, concurrency }: WorkerView): string {
  if (concurrency === null) return '-';
  return `${running.reduce((sum, each) => sum + (each.slots ?? 0), 0)}/${concurrency}`;
}
