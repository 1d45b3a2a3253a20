import { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../command-context.js';

export const migrate = (context: CommandContext) =>
  new Command('migrate').description('applies the migrations that are missing').action(() =>
    context.withDatabase(async ({ rowlock, output }) => {
      const report = await rowlock.migrate();
      const { from, to, applied } = report;
      const what = applied.length === 0 ? 'nothing to do' : `applied ${applied.join(', ')}`;
      output.one(report, `Version ${from} to ${to}: ${what}.`);
    }),
  );
