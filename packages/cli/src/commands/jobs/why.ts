import { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../../command-context.js';

export const why = (context: CommandContext) =>
  new Command('why')
    .description('why a job does not run')
    .argument('<id>', 'its public id')
    .action((id) =>
      context.withDatabase(async ({ rowlock, output }) => {
        const explanation = await rowlock.insight.explain(id);
        const { publicId, status, reasons } = explanation;
        const causes = reasons.map(({ text }) => `- ${text}`);
        const none = '- Nothing keeps it from running: the next claim of an idle worker takes it.';
        output.one(explanation, `Job ${publicId} is ${status}.`, ...(causes.length === 0 ? [none] : causes));
      }),
    );
