import type { JobView } from '@rowlock/core';
import type { ListOptions } from '@rowlock/core/types';
import type { CommandContext, Session } from '../../command-context.js';
import { count } from '../../count.js';
import type { Column } from '../../output/table.js';
import { number, time } from '../../output/values.js';
import { type Filter, filtered, filterOf } from './filter.js';

export const list = (context: CommandContext) =>
  filtered('list')
    .description('jobs, newest first')
    .option('--limit <number>', 'how many at most', count, 50)
    .option('--oldest', 'the oldest first')
    .action(({ limit, oldest, ...filter }) =>
      context.withDatabase((session) =>
        show(session, filter, { limit, order: oldest ? 'oldest' : 'newest' }),
      ),
    );

/** The most jobs of a page. */
const PAGE = 1_000;

/** For programs each page is written as it comes. */
async function show(
  { rowlock, output, terminal }: Session,
  filter: Filter,
  { limit, order }: Required<Pick<ListOptions, 'limit' | 'order'>>,
): Promise<void> {
  const shown: JobView[] = [];
  let [left, cursor]: [number, string | null] = [limit, null];
  do {
    const page = await rowlock.jobs.list({ ...filterOf(filter), limit: Math.min(left, PAGE), order, cursor });
    if (output.isJson) output.list(page.jobs, COLUMNS, '');
    else shown.push(...page.jobs);
    left -= page.jobs.length;
    cursor = page.cursor;
  } while (cursor !== null && left > 0 && !terminal.signal.aborted);
  if (output.isJson) return;
  output.list(shown, COLUMNS, 'No job is like this.');
  if (cursor === null) return;
  output.say('');
  output.say(`There may be more than these ${number(shown.length)}: --limit shows more.`);
}

const COLUMNS: readonly Column<JobView>[] = [
  { title: 'ID', of: ({ publicId }) => publicId },
  { title: 'QUEUE', of: ({ queue }) => queue, cut: true },
  { title: 'KIND', of: ({ kind }) => kind, cut: true },
  { title: 'KEY', of: ({ key }) => key ?? '-', cut: true },
  { title: 'STATUS', of: ({ status }) => status },
  { title: 'TRIES', of: ({ attempt, maxAttempts }) => `${attempt}/${maxAttempts}`, align: 'right' },
  { title: 'SINCE', of: (job) => time(sinceWhen(job)) },
  { title: 'ERROR', of: ({ error }) => (error === null ? '' : `${error.code}: ${error.message}`), cut: true },
];

/** When the job came into its state, or is due. */
function sinceWhen({ status, finishedAt, startedAt, availableAt }: JobView): Date | null {
  if (status === 'new') return availableAt;
  return status === 'in-progress' ? startedAt : finishedAt;
}
