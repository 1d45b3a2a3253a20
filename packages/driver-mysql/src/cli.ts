#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { mysql } from './driver.js';
import { migrationScript } from './migrations.js';

const USAGE = `Usage:
  rowlock-mysql sql [--database NAME] [--mariadb]  prints the migrations, for a DBA to read and run
  rowlock-mysql migrate [--url URL]                runs them in the URL's database; URL is DATABASE_URL by default
`;

async function main([command, ...args]: readonly string[]): Promise<void> {
  if (command === 'sql') await print(args);
  else if (command === 'migrate') await run(args);
  else if (command === undefined) throw new Error(USAGE);
  else throw new Error(`There is no command '${command}'.\n\n${USAGE}`);
}

async function print(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      database: { type: 'string', default: 'rowlock' },
      mariadb: { type: 'boolean', default: false },
    },
  });
  process.stdout.write(await migrationScript(values.database, values.mariadb ? 'MariaDB' : 'MySQL'));
}

async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { url: { type: 'string' } } });
  const { url = process.env.DATABASE_URL } = values;
  if (url === undefined) throw new Error('Where is the database? Pass --url or set DATABASE_URL.');
  const driver = mysql({ uri: url });
  try {
    const { from, to, applied } = await driver.migrate();
    const what = applied.length === 0 ? 'nothing to do' : `applied ${applied.join(', ')}`;
    process.stdout.write(`Version ${from} to ${to}, ${what}.\n`);
  } finally {
    await driver.close();
  }
}

/** With the usage, when it was the arguments that parseArgs did not understand. */
function explained(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const misused = 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  return misused ? `${error.message}\n\n${USAGE}` : error.message;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${explained(error)}\n`);
  process.exitCode = 1;
});
