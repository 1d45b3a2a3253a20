import { Command } from '@commander-js/extra-typings';
import type { Retention } from '@rowlock/core';
import type { RetentionRules } from '@rowlock/core/types';
import type { CommandContext } from '../command-context.js';
import { confirm } from '../confirm.js';
import { countOrNone } from '../count.js';
import { Failure } from '../failure.js';
import { jobs } from '../output/values.js';
import { duration } from '../times.js';

export const prune = (context: CommandContext) =>
  new Command('prune')
    .description('deletes settled jobs that the rules do not keep')
    .option('--complete <duration>', 'how long complete jobs are kept', duration)
    .option('--error <duration>', 'how long failed jobs are kept', duration)
    .option('--cancelled <duration>', 'how long cancelled jobs are kept', duration)
    .option('--keep <number>', 'how many settled jobs of a queue are kept at most', countOrNone)
    .option('--queue <name>', 'only of this queue')
    .option('--dry-run', 'only says how many there are')
    .option('--yes', 'deletes them without a question')
    .action(({ queue, dryRun, yes, ...given }) =>
      context.withDatabase(async ({ rowlock, operator, output, terminal }) => {
        const rules = retentionOf(given, queue);
        const { signal } = terminal;
        const found = await rowlock.jobs.prune(rules, { signal, dryRun: true });
        if (dryRun === true) return output.one({ found }, `This would delete ${jobs(found)}.`);
        if (found > 0) await confirm(`delete ${jobs(found)}`, { yes }, terminal);
        const sum = { pruned: 0 };
        const onStep = (pruned: number): void => {
          sum.pruned += pruned;
        };
        await operator.jobs.prune(rules, { signal, onStep }).catch((error: unknown) => {
          throw signal.aborted ? new Failure(`Stopped. ${said(sum.pruned)}`) : error;
        });
        output.one(sum, said(sum.pruned));
      }),
    );

function said(pruned: number): string {
  return `${jobs(pruned)} ${pruned === 1 ? 'is' : 'are'} deleted.`;
}

type Given = { readonly [Name in keyof RetentionRules]: number | undefined };

function retentionOf(given: Given, queue: string | undefined): Retention {
  const rules = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return queue === undefined ? rules : { queues: { [queue]: rules } };
}
