import { setTimeout as sleep } from 'node:timers/promises';
import { checkOptions, type DriverError, InvalidInputError, isDriverError } from '@rowlock/core';
import { causesOf, checkWhole, GrowingDelay } from '@rowlock/core/driver';

/** The default number of repeats. Their pauses take at most 0.6 s together. */
const RETRIES = 5;

/** The pauses between two attempts, in milliseconds. The other transaction needs time to end. */
const SHORTEST_PAUSE = 20;
const LONGEST_PAUSE = 2_000;

/** The timeout of a ROLLBACK, in milliseconds. Then the connection is closed, and the server rolls back. */
export const ROLLBACK_MS = 10_000;

export interface TransactionOptions {
  /**
   * How often the transaction is repeated, at most, after a deadlock or a serialization failure. 0 to 100. Default 5.
   * The pause before the first repeat is 10 to 20 ms, and each further one twice as long, up to 2 s.
   */
  readonly retries?: number;
  /** The isolation level. Default: the session's own. */
  readonly isolation?: Isolation;
  /**
   * Ends the transaction: its connection is closed, so that a statement that waits fails. Then the call rejects with the
   * signal's reason, once the work has ended. An abort during the COMMIT leads to `CommitUnknown`.
   */
  readonly signal?: AbortSignal;
}

const OPTIONS: readonly string[] = ['retries', 'isolation', 'signal'] satisfies (keyof TransactionOptions)[];

const LEVELS = {
  'read committed': 'READ COMMITTED',
  'repeatable read': 'REPEATABLE READ',
  serializable: 'SERIALIZABLE',
} as const;

export type Isolation = keyof typeof LEVELS;

/** The level as SQL spells it. Null for the session's own. @throws InvalidInputError */
export function levelOf(isolation: Isolation | undefined): string | null {
  if (isolation === undefined) return null;
  if (Object.hasOwn(LEVELS, isolation)) return LEVELS[isolation];
  throw new InvalidInputError(`isolation must be one of ${Object.keys(LEVELS).join(', ')}.`);
}

/** A transaction that has begun, on a connection of its own. */
export interface BegunTransaction<Tx> {
  readonly tx: Tx;
  /**
   * Commits, and gives the connection back.
   *
   * @throws DriverError `CommitUnknown` if the connection was lost on the way. After any other error it is not committed.
   */
  commit(): Promise<void>;
  /** Rolls back, and gives the connection back or destroys a broken one. Never rejects. */
  rollback(): Promise<void>;
  /** Closes the connection. Its pending statement fails. */
  cut(): void;
}

/**
 * Does work in a transaction. Repeats what a deadlock or a serialization failure has ended, also at the COMMIT.
 *
 * @throws what `work` threw last; the signal's reason; DriverError of the BEGIN or the COMMIT; InvalidInputError
 */
export async function repeatTransaction<Tx, Result>(
  begin: () => Promise<BegunTransaction<Tx>>,
  work: (tx: Tx) => Result | PromiseLike<Result>,
  options: TransactionOptions,
  toDriverError: (error: unknown) => DriverError,
): Promise<Result> {
  checkOptions('transaction()', options, OPTIONS);
  const { retries = RETRIES, signal } = options;
  checkWhole('retries', retries, 0, 100);
  const pause = new GrowingDelay(SHORTEST_PAUSE, LONGEST_PAUSE);
  for (let left = retries; ; left--) {
    try {
      return await attempt(begin, work, signal);
    } catch (error) {
      if (left === 0 || !isRepeatable(error, toDriverError)) throw error;
    }
    await sleep(pause.next(), undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

async function attempt<Tx, Result>(
  begin: () => Promise<BegunTransaction<Tx>>,
  work: (tx: Tx) => Result | PromiseLike<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  signal?.throwIfAborted();
  const begun = await begin();
  const cut = (): void => begun.cut();
  signal?.addEventListener('abort', cut, { once: true });
  try {
    signal?.throwIfAborted();
    const result = await work(begun.tx);
    signal?.throwIfAborted();
    await begun.commit();
    return result;
  } catch (error) {
    await begun.rollback();
    if (!isDriverError(error, 'CommitUnknown')) signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', cut);
  }
}

/** Whether the server has ended the transaction for the sake of another. Libraries wrap the server's error in their own. */
function isRepeatable(error: unknown, toDriverError: (error: unknown) => DriverError): boolean {
  for (const each of causesOf(error)) {
    const { code } = toDriverError(each);
    if (code === 'CommitUnknown') return false;
    if (code === 'Deadlock' || code === 'SerializationFailure') return true;
  }
  return false;
}
