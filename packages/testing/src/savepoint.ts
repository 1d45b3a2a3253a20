import { InvalidInputError } from '@rowlock/core';

interface Queries {
  query(text: string): Promise<unknown>;
}

/** What a handler writes in a caller's transaction, which is undone if its run fails. Nothing where there is no SQL. */
export class Savepoint {
  readonly #tx: Queries | undefined;

  constructor(tx: unknown) {
    this.#tx = isSql(tx) ? tx : undefined;
  }

  /** @throws InvalidInputError */
  async set(): Promise<void> {
    try {
      await this.#tx?.query('SAVEPOINT rowlock_run_handler');
    } catch (cause) {
      throw notOpen(cause);
    }
  }

  /** Rejects where a statement has failed that the handler has swallowed, and the database goes on only after a rollback. */
  async check(): Promise<void> {
    await this.#tx?.query('SELECT 1');
  }

  /** @throws InvalidInputError */
  async end(isKept: boolean): Promise<void> {
    try {
      if (!isKept) await this.#tx?.query('ROLLBACK TO SAVEPOINT rowlock_run_handler');
      await this.#tx?.query('RELEASE SAVEPOINT rowlock_run_handler');
    } catch (cause) {
      throw notOpen(cause);
    }
  }
}

function isSql(tx: unknown): tx is Queries {
  return typeof Object(tx).query === 'function';
}

function notOpen(cause: unknown): InvalidInputError {
  return new InvalidInputError(
    'tx must be an open transaction on one connection: send BEGIN before, and ROLLBACK behind the test.',
    { cause },
  );
}
