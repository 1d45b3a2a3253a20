import { Argument, Command } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import type { CommandContext } from '../command-context.js';
import { driverModule } from '../database/installed.js';

export const sql = (context: CommandContext) =>
  new Command('sql')
    .description('prints the migrations, for a DBA to read and to run')
    .addArgument(new Argument('<server>', 'whose SQL').choices(['postgres', 'mysql', 'mariadb'] as const))
    .option(
      '--from <version>',
      'the version that the tables have: prints what is missing after it',
      version,
      0,
    )
    .addHelpText(
      'after',
      '\n--schema names the schema of Postgres, or the database of MySQL. Default: rowlock.',
    )
    .action(async (server, { from }) => context.output.raw(await script(server, context.schema, from)));

async function script(
  server: 'postgres' | 'mysql' | 'mariadb',
  schema: string,
  from: number,
): Promise<string> {
  if (server === 'postgres') return (await driverModule('postgres')).migrationScript(schema, from);
  const { migrationScript } = await driverModule('mysql');
  return migrationScript(schema, server === 'mysql' ? 'MySQL' : 'MariaDB', from);
}

function version(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes the number of a version.');
}
