#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { mysql } from './driver.js';
import { migrationScript } from './migrations.js';

const USAGE = `Usage:
  rowlock-mysql sql [--database NAME]  prints the migrations, for a DBA to read and run
  rowlock-mysql migrate [--url URL]    runs them in the URL's database; URL is DATABASE_URL by default
`;

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { database: { type: 'string', default: 'rowlock' }, url: { type: 'string' } },
  });
  const { database, url = process.env.DATABASE_URL } = values;
  if (positionals[0] === 'sql') process.stdout.write(await migrationScript(database));
  else if (positionals[0] === 'migrate') await run(url);
  else throw new Error(USAGE);
}

async function run(url: string | undefined): Promise<void> {
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

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
