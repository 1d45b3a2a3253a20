import { DriverError } from '@rowlock/core';

/** Tables that are missing, or older than their driver. */
interface Outdated {
  readonly place: 'schema' | 'database';
  readonly placeName: string;
  /** The version of the tables. 0: there are none. */
  readonly found: number;
  /** The version that the driver needs. */
  readonly needed: number;
  /** The dialect, as `rowlock sql` takes it. */
  readonly dialect: string;
}

/** The error for tables that are missing or older than their driver. */
export function outdatedTables({ place, placeName, found, needed, dialect }: Outdated): DriverError {
  const name = /^\w+$/.test(placeName) ? placeName : `'${placeName.replaceAll("'", `'\\''`)}'`;
  const command = `npx @rowlock/cli sql ${dialect} --schema ${name}${found === 0 ? '' : ` --from ${found}`}`;
  return new DriverError(
    'SchemaOutdated',
    `Rowlock's tables in the ${place} ${JSON.stringify(placeName)} are at version ${found} and this driver needs ${needed}. ` +
      `Run rowlock.migrate(), or let a DBA run what \`${command}\` prints.`,
  );
}
