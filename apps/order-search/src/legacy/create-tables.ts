import { readFile } from 'node:fs/promises';
import type { LegacyDatabase } from './legacy-database.js';

/** Creates the old system's tables. For the demo and the tests: elsewhere they are there. */
export async function createTables(database: LegacyDatabase): Promise<void> {
  await database.createSchema();
  const text = await readFile(new URL('../../legacy/tables.sql', import.meta.url), 'utf8');
  const statements = text.replaceAll(/--.*$/gm, '').split(';');
  for (const statement of statements) if (statement.trim() !== '') await database.run(statement);
}
