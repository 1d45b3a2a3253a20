import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { DriverError } from '@rowlock/core';

/** A numbered file of SQL. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file, as hexadecimal digits. */
  readonly checksum: string;
}

/**
 * The numbered files of a folder, in order.
 *
 * @param driver The package that has them.
 * @param checksums Of the files, by their names without the end.
 * @throws DriverError `SchemaOutdated` when they are not there; `SchemaDiffers` when one is not as its checksum says.
 */
export async function migrationFiles(
  folder: URL,
  driver: string,
  checksums: Readonly<Record<string, string>>,
): Promise<readonly Migration[]> {
  const files = await read(folder).catch((cause: unknown) => {
    throw new DriverError(
      'SchemaOutdated',
      `Rowlock's migrations are files of the package ${driver}, and are not beside its code, as in an application that was ` +
        'bundled. Leave the package out of the bundle (`external`), or run `npx @rowlock/cli migrate` where it is installed.',
      { cause },
    );
  });
  const edited = files.find(({ name, checksum }) => checksums[name] !== checksum);
  if (edited === undefined) return files;
  throw new DriverError(
    'SchemaDiffers',
    `The migration ${edited.name} of the package ${driver} is not the one that this version was built with, so nothing was migrated. ` +
      'Install the package again. To develop it, follow "Change the tables" in its CONTRIBUTING.md.',
  );
}

async function read(folder: URL): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8');
      return {
        version: Number(name.slice(0, 4)),
        name: name.replace(/\.sql$/, ''),
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
      };
    }),
  );
}
