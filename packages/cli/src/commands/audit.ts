import { Command, Option } from '@commander-js/extra-typings';
import { AUDIT_ACTIONS, AUDIT_SCOPES } from '@rowlock/core';
import type { AuditEntry } from '@rowlock/core/types';
import type { CommandContext } from '../command-context.js';
import { count } from '../count.js';
import type { Column } from '../output/table.js';
import { json, time } from '../output/values.js';

export const audit = (context: CommandContext) =>
  new Command('audit')
    .description('what operators have done, newest first')
    .option('--by <name>', 'who did it')
    .addOption(new Option('--action <action>', 'what was done').choices(AUDIT_ACTIONS))
    .addOption(new Option('--scope <scope>', 'to what').choices(AUDIT_SCOPES))
    .option(
      '--name <name>',
      'the public id of a job, the name of a queue, a kind, a limit or a schedule, or the id of errors',
    )
    .option('--limit <number>', 'how many at most, up to 1,000', count, 50)
    .option('--cursor <cursor>', 'goes on where the last call ended')
    .action((given) =>
      context.withDatabase(async ({ rowlock, output }) => {
        const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
        const { entries, cursor } = await rowlock.insight.audit(options);
        output.list(entries, COLUMNS, 'No operator has done anything like this.');
        if (cursor === null || output.isJson) return;
        output.say('');
        output.say(`There may be older ones: --cursor ${cursor}`);
      }),
    );

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: 'AT', of: ({ at }) => time(at) },
  { title: 'BY', of: ({ by }) => by, cut: true },
  { title: 'ACTION', of: ({ action }) => action },
  { title: 'ON', of: ({ scope, name }) => `${scope} ${name}`.trim(), cut: true },
  { title: 'DETAILS', of: ({ details }) => detailsText(details), cut: true },
];

function detailsText(details: AuditEntry['details']): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : json(value)}`)
    .join(' ');
}
