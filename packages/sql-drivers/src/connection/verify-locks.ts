import { DriverError, isDriverError } from '@rowlock/core';

/** Connections, and a row that is there for all. The locks of the others wait for some seconds at most, and then reject with `LockTimeout`. */
export interface LockProbe {
  /** Locks the row in an open transaction of the first connection. False if another transaction has the row. */
  lock(): Promise<boolean>;
  /** Locks the row in another connection with SKIP LOCKED, beside `lockAtOnce`. False if the row was skipped. */
  lockSkipping(): Promise<boolean>;
  /** Locks the row in another connection with NOWAIT. Rejects with `LockNotAvailable` if the row is locked. */
  lockAtOnce(): Promise<unknown>;
  /** Rejects if the first connection, and with it the lock, is lost. */
  confirm(): Promise<unknown>;
}

/**
 * Checks that a locked row is skipped, and refused. Otherwise two workers would run one job at the same time.
 *
 * @throws DriverError `EngineUnsuitable`
 */
export async function verifyLocks(probe: LockProbe): Promise<void> {
  if (!(await probe.lock())) return;
  const skipping = probe.lockSkipping().catch((error: unknown) => {
    if (isDriverError(error, 'LockTimeout'))
      throw unsuitable('kept another one waiting in spite of SKIP LOCKED');
    throw error;
  });
  const atOnce = probe.lockAtOnce().then(
    () => false,
    (error: unknown) => {
      if (isDriverError(error, 'LockNotAvailable')) return true;
      if (isDriverError(error, 'LockTimeout'))
        throw unsuitable('kept another one waiting in spite of NOWAIT');
      throw error;
    },
  );
  const [isTaken, isRefused] = await Promise.all([skipping, atOnce]);
  if (isTaken) {
    await probe.confirm();
    throw unsuitable('was given to another one by SKIP LOCKED');
  }
  if (isRefused) return;
  await probe.confirm();
  throw unsuitable('was not refused to another one with NOWAIT');
}

/** An error of the probe. A server that refuses a statement of it would refuse the claims. */
export function unaccepted(error: DriverError): DriverError {
  if (error.code !== 'Unknown') return error;
  return new DriverError(
    'EngineUnsuitable',
    `The server does not do a statement by which workers claim jobs: ${error.message} It is of another make, or something on the way to it ` +
      'alters statements. Let workers connect to the server itself.',
    { cause: error },
  );
}

function unsuitable(what: string): DriverError {
  return new DriverError(
    'EngineUnsuitable',
    `A row that one connection had locked ${what}: jobs would run twice. Either this engine does not lock rows, as TiDB, or the address leads ` +
      'to several servers that write. Let all workers and producers use one server that writes.',
  );
}
