import { Command } from '@commander-js/extra-typings';
import type { Kit } from '../kit.js';

export const migrate = (kit: Kit) =>
  new Command('migrate').description('applies the migrations that are missing').action(() =>
    kit.withDatabase(async ({ rowlock, output }) => {
      const report = await rowlock.migrate();
      const { from, to, applied } = report;
      const what = applied.length === 0 ? 'nothing to do' : `applied ${applied.join(', ')}`;
      output.one(report, `Version ${from} to ${to}: ${what}.`);
    }),
  );
