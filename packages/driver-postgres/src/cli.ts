#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { postgres } from './driver.js';
import { migrationScript, SCHEMA_VERSION } from './migrations.js';

const USAGE = `Usage:
  rowlock-postgres sql [--schema NAME] [--from VERSION]  prints the migrations, for a DBA to read and run; with --from those
                                                         that are missing where the tables have that version
  rowlock-postgres migrate [--schema NAME] [--url URL]   runs those that are missing; URL is DATABASE_URL by default
  rowlock-postgres --help                                prints this

NAME is rowlock by default.
`;

/** An error in the arguments. */
class Misuse extends Error {}

async function main([command, ...args]: readonly string[]): Promise<void> {
  if ([command, ...args].some((arg) => arg === '--help' || arg === '-h')) process.stdout.write(USAGE);
  else if (command === 'sql') await print(args);
  else if (command === 'migrate') await run(args);
  else if (command === undefined) throw new Misuse('Which command?');
  else throw new Misuse(`There is no command '${command}'.`);
}

const SCHEMA = { schema: { type: 'string', default: 'rowlock' } } as const;

async function print(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { ...SCHEMA, from: { type: 'string', default: '0' } } });
  process.stdout.write(await migrationScript(values.schema, versionOf(values.from)));
}

function versionOf(text: string): number {
  const version = Number(text);
  if (/^\d+$/.test(text) && version <= SCHEMA_VERSION) return version;
  throw new Misuse(`--from takes a version, 0 to ${SCHEMA_VERSION}, and not '${text}'.`);
}

async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { ...SCHEMA, url: { type: 'string' } } });
  const { schema, url = process.env.DATABASE_URL } = values;
  if (url === undefined) throw new Misuse('Where is the database? Pass --url or set DATABASE_URL.');
  const driver = postgres({ connectionString: url, schema });
  try {
    const { from, to, applied } = await driver.migrate();
    const what = applied.length === 0 ? 'nothing to do' : `applied ${applied.join(', ')}`;
    process.stdout.write(`Schema ${schema}: version ${from} to ${to}, ${what}.\n`);
  } finally {
    await driver.close();
  }
}

/** Includes the errors of parseArgs. */
function isMisuse(error: unknown): boolean {
  return error instanceof Misuse || String(Object(error).code).startsWith('ERR_PARSE_ARGS');
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(isMisuse(error) ? `${message}\n\n${USAGE}` : `${message}\n`);
  process.exitCode = isMisuse(error) ? 2 : 1;
});
