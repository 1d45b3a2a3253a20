import { Command } from '@commander-js/extra-typings';
import type { JobView } from '@rowlock/core';
import type { RunView } from '@rowlock/core/types';
import type { CommandContext } from '../../command-context.js';
import { Failure } from '../../failure.js';
import type { Column } from '../../output/table.js';
import { json, lasting, time } from '../../output/values.js';

export const show = (context: CommandContext) =>
  new Command('show')
    .description('one job, and its runs')
    .argument('<id>', 'its public id')
    .action((id) =>
      context.withDatabase(async ({ rowlock, output }) => {
        const job = await rowlock.find(id);
        if (job === undefined) throw new Failure(`There is no job ${id}. It may have been pruned.`);
        const runs = await rowlock.insight.runs(id);
        output.one({ ...job, runs }, ...linesOf(job), '');
        if (!output.isJson) output.list(runs, COLUMNS, 'No run is on record.');
      }),
    );

function linesOf(job: JobView): readonly string[] {
  const facts = Object.entries(job).filter(([, value]) => !isEmpty(value));
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.flatMap(([name, value]) => {
    const [first, ...more] = name === 'error' ? errorLines(job.error) : [text(value)];
    return [`${name.padEnd(width)}  ${first}`, ...more];
  });
}

/** The stack is on lines of its own, as in a log. */
function errorLines(error: JobView['error']): readonly string[] {
  if (error === null) return [];
  const { code, message, details, stack } = error;
  const head = details === undefined ? `${code}: ${message}` : `${code}: ${message} ${json(details)}`;
  return [head, ...(stack?.split('\n') ?? [])];
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof Date ? value.toISOString() : json(value);
}

function isEmpty(value: unknown): boolean {
  return value === null || json(value) === '{}';
}

const COLUMNS: readonly Column<RunView>[] = [
  { title: 'STARTED', of: ({ startedAt }) => time(startedAt) },
  { title: 'OUTCOME', of: ({ outcome }) => outcome },
  {
    title: 'TOOK',
    of: (run) => lasting(run.finishedAt && run.finishedAt.getTime() - run.startedAt.getTime()),
  },
  { title: 'WORKER', of: ({ worker, host }) => worker ?? host ?? '-', cut: true },
  { title: 'RUN', of: ({ runId }) => runId },
  { title: 'ERROR', of: ({ error }) => (error === null ? '' : `${error.code}: ${error.message}`), cut: true },
];
