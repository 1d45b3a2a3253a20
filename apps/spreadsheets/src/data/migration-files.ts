import { readdir, readFile } from 'node:fs/promises';

/** The same from `src` and from `dist`. */
const FOLDER = new URL('../../migrations/', import.meta.url);

/** A numbered file that changes the application's own tables. */
export interface MigrationFile {
  readonly name: string;
  readonly sql: string;
}

/** The files for one kind of database, in order. */
export async function migrationFiles(database: 'postgres' | 'mysql'): Promise<readonly MigrationFile[]> {
  const folder = new URL(`${database}/`, FOLDER);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => ({ name, sql: await readFile(new URL(name, folder), 'utf8') })),
  );
}
