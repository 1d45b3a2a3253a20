import { readdir, readFile } from 'node:fs/promises';
import { DriverError } from '../driver-error.js';

/** A numbered file of SQL. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/**
 * The numbered files of a folder, in order.
 *
 * @param driver The package that has them.
 * @throws DriverError `SchemaOutdated` when they are not there.
 */
export async function migrationFiles(folder: URL, driver: string): Promise<readonly Migration[]> {
  try {
    const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
    return await Promise.all(
      names.map(async (name) => ({
        version: Number(name.slice(0, 4)),
        name: name.replace(/\.sql$/, ''),
        sql: await readFile(new URL(name, folder), 'utf8'),
      })),
    );
  } catch (error) {
    throw new DriverError(
      'SchemaOutdated',
      `Rowlock's migrations are files of the package ${driver}, and are not beside its code, as in an application that was ` +
        'bundled. Leave the package out of the bundle (`external`), or run `npx @rowlock/cli migrate` where it is installed.',
      { cause: error },
    );
  }
}
