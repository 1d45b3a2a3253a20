import { hostname } from 'node:os';
import { checkOptions, InvalidInputError, type Rowlock } from '@rowlock/core';
import { driverOf } from '@rowlock/core/driver';

export interface EmptyDatabaseOptions {
  /** Empties the database in production too, and where workers of other processes are alive. Default false. */
  readonly force?: boolean;
}

/**
 * Deletes all that Rowlock's tables have: jobs and their runs, pauses, limits, schedules, statistics. For a database of
 * tests, between two of them. The tables stay, and so do those of the application.
 *
 * Call it while no job runs: it waits for the jobs that are locked. A worker of this process may be idle meanwhile. The
 * schedules of its program are written again by the next worker that starts.
 *
 * @throws InvalidInputError when `NODE_ENV` is `production`, or when a worker of another process is alive.
 * @example
 * beforeEach(() => emptyDatabase(rowlock));
 */
export async function emptyDatabase<Tx>(
  rowlock: Rowlock<Tx>,
  options: EmptyDatabaseOptions = {},
): Promise<void> {
  checkOptions('emptyDatabase()', options, ['force'] satisfies (keyof EmptyDatabaseOptions)[]);
  const { schema, workers } = driverOf(rowlock);
  if (options.force !== true) {
    if (process.env.NODE_ENV === 'production')
      throw refused('NODE_ENV is production', 'To empty a database in production');
    const other = (await workers.list()).find(({ alive, host, pid }) => alive && !isHere(host, pid));
    if (other !== undefined)
      throw refused(
        `the worker ${JSON.stringify(other.name)} of another process is alive on it (host ${other.host}, pid ${other.pid})`,
        'If it is the right database, stop that worker; to empty the database beside it',
      );
  }
  await schema.empty();
}

function isHere(host: string, pid: number): boolean {
  return host === hostname() && pid === process.pid;
}

function refused(why: string, how: string): InvalidInputError {
  return new InvalidInputError(
    `This database is not emptied, because ${why}. ${how}, call emptyDatabase(rowlock, { force: true }).`,
  );
}
