import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { Command } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import { CommandContext } from './command-context.js';
import { audit } from './commands/audit.js';
import { completion } from './commands/completion.js';
import { dashboard } from './commands/dashboard/dashboard.js';
import { doctor } from './commands/doctor.js';
import { init } from './commands/init.js';
import { jobs } from './commands/jobs/jobs.js';
import { limits } from './commands/limits/limits.js';
import { mcp } from './commands/mcp.js';
import { migrate } from './commands/migrate.js';
import { pause } from './commands/pauses/pause.js';
import { pauses } from './commands/pauses/pauses.js';
import { resume } from './commands/pauses/resume.js';
import { prune } from './commands/prune.js';
import { queues } from './commands/queues.js';
import { run } from './commands/run.js';
import { schedules } from './commands/schedules/schedules.js';
import { skill } from './commands/skill/skill.js';
import { sql } from './commands/sql.js';
import { status } from './commands/status.js';
import { workers } from './commands/workers.js';
import { Complaints } from './complaints.js';
import { plain } from './output/plain.js';
import type { Terminal } from './terminal.js';
import { version } from './version.js';

/** The tree of commands. Nothing is read or connected before one is parsed. */
export function program(terminal: Terminal, complaints = new Complaints(terminal, [])): CommandUnknownOpts {
  const root = new Command('rowlock')
    .description(
      'Jobs as rows of Postgres and MySQL: looks at them, changes them, and examines the database.',
    )
    .option(
      '--database <url>',
      'postgres://… or mysql://…. Better in DATABASE_URL: others can see the words of a call',
    )
    .option('--schema <name>', "Postgres: the schema of Rowlock's tables. MySQL: their database", schema)
    .option('--as <name>', 'who you are, for the record of what is changed; default: user@host')
    .option('--json', 'JSON for programs, an object a line')
    .version(version())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      outputError: (text) => complaints.say(text.trim()),
      getOutHelpWidth: () => terminal.stdout.columns ?? 80,
      getOutHasColors: () => false,
    })
    .addHelpText('after', '\nExit codes: 0 all is well, 1 something is wrong, 2 the call is.');
  const context = new CommandContext(terminal, complaints, () => root.opts());
  for (const make of COMMANDS) root.addCommand(make(context));
  inherit(root);
  return root;
}

/** In the order of the help. */
const COMMANDS: readonly ((context: CommandContext) => CommandUnknownOpts)[] = [
  ...[status, queues, workers, jobs],
  ...[pause, resume, pauses, limits, schedules, audit],
  ...[prune, dashboard, doctor, run, migrate, sql],
  ...[init, skill, mcp, completion],
];

/** A name that is printed as a part of SQL, where nothing in it can be left out. */
function schema(text: string): string {
  if (plain(text) === text) return text;
  throw new InvalidArgumentError('It takes a name without control characters.');
}

/** A command that is added has settings of its own. */
function inherit(parent: CommandUnknownOpts): void {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent);
    inherit(command);
  }
}
