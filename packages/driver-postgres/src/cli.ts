#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { postgres } from './driver.js';
import { migrationScript } from './migrations.js';

const USAGE = `Usage:
  rowlock-postgres sql [--schema NAME]              prints the migrations, for a DBA to read and run
  rowlock-postgres migrate [--schema NAME] [--url URL]  runs them; URL is DATABASE_URL by default
`;

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { schema: { type: 'string', default: 'rowlock' }, url: { type: 'string' } },
  });
  const { schema, url = process.env.DATABASE_URL } = values;
  if (positionals[0] === 'sql') process.stdout.write(await migrationScript(schema));
  else if (positionals[0] === 'migrate') await run(schema, url);
  else throw new Error(USAGE);
}

async function run(schema: string, url: string | undefined): Promise<void> {
  if (url === undefined) throw new Error('Where is the database? Pass --url or set DATABASE_URL.');
  const driver = postgres({ connectionString: url, schema });
  try {
    const { from, to, applied } = await driver.migrate();
    const what = applied.length === 0 ? 'nothing to do' : `applied ${applied.join(', ')}`;
    process.stdout.write(`Schema ${schema}: version ${from} to ${to}, ${what}.\n`);
  } finally {
    await driver.close();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
