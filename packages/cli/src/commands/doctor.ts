import { Command } from '@commander-js/extra-typings';
import type { Finding } from '@rowlock/core/driver';
import { type CommandContext, SILENT } from '../command-context.js';
import { diagnose } from '../doctor/doctor.js';
import { Failure } from '../failure.js';
import { loadModule, type Program } from '../module/load-module.js';
import { lasting } from '../output/values.js';

export const doctor = (context: CommandContext) =>
  new Command('doctor')
    .description('looks for what is wrong with the database, and says what to do')
    .argument('[module]', 'exports the handlers, plugins and captures of the program: these are checked too')
    .action(async (module) => {
      const program = module === undefined ? NONE : await loadModule(module, context.complaints);
      const begin = performance.now();
      await context.withDatabase(
        async ({ rowlock, driver, output }) => {
          const findings = await diagnose(rowlock, driver, longest(program));
          for (const finding of findings) output.one(finding, line(finding));
          if (findings.length === 0)
            output.say(`All is well. Looked at in ${lasting(performance.now() - begin)}.`);
          if (findings.some(({ severity }) => severity === 'broken')) throw new Failure('');
        },
        { rowlock: { ...program, log: SILENT } },
      );
    });

const NONE: Program = { handlers: [], plugins: [], captures: [] };

/** The longest timeout of handlers, in milliseconds: the default, or longer. */
function longest({ handlers, plugins }: Program): number {
  const all = [...handlers, ...plugins.flatMap((plugin) => plugin.handlers)];
  return Math.max(30_000, ...all.map(({ timeoutMs }) => timeoutMs));
}

function line({ severity, check, what, why, remedy }: Finding) {
  const style: 'red' | 'yellow' = severity === 'broken' ? 'red' : 'yellow';
  return { style, mark: severity.padEnd(7), text: `  ${check.padEnd(12)}  ${what} ${why} ${remedy}` };
}
