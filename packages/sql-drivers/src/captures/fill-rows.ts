import { apart, mayBeOfOne, messageOf, type Refused, type RowId } from '@rowlock/core/driver';

/** The rows that a step of a backfill comes to, in its transaction. Each call goes on where the one before it has ended. */
export interface BackfillRows {
  /** Enqueues the jobs of up to `most` rows. Returns how many rows it has read. */
  write(most: number): Promise<number>;
  /** Undoes a `write` that was refused. Rejects if the transaction is over, as after a deadlock. */
  undo(): Promise<unknown>;
  /** Passes over one row without a job, and returns its id. Null: there is none. */
  pass(): Promise<RowId | null>;
}

/** What `fillRows` has done. */
export interface FilledRows {
  /** How many rows it has read. */
  readonly read: number;
  /** Whether there are no more. */
  readonly done: boolean;
  /** The rows without a job. */
  readonly refused: readonly Refused<RowId>[];
}

/**
 * Enqueues the jobs of the next rows. If that is refused, passes over the rows whose jobs are refused alone.
 *
 * @throws what is no one row's fault, and what has ended the transaction
 */
export async function fillRows(rows: BackfillRows, batch: number): Promise<FilledRows> {
  const refused: Refused<RowId>[] = [];
  let read = 0;
  let done = false;
  let over: unknown;
  const places = Array.from({ length: batch }, (_, place) => place);
  await apart(places, async ({ length }) => {
    if (over !== undefined) throw over;
    if (done) return;
    try {
      const found = await rows.write(length);
      read += found;
      done = found < length;
    } catch (error) {
      if (!mayBeOfOne(error)) throw error;
      await rows.undo().catch(() => {
        over = error;
      });
      if (length > 1 || over !== undefined) throw error;
      const member = await rows.pass().catch((reason: unknown) => {
        over = reason;
        throw reason;
      });
      if (member === null) done = true;
      else refused.push({ member, error });
    }
  });
  if (over !== undefined) throw over;
  return { read: read + refused.length, done, refused };
}

/** The note of a step's losses. Null: there are none. */
export function lossOf(refused: readonly Refused<RowId>[]): string | null {
  const [first] = refused;
  if (first === undefined) return null;
  const rows = refused.length === 1 ? 'one row' : `${refused.length} rows`;
  return `a backfill has left out ${rows}, as ${JSON.stringify(first.member)}: ${messageOf(first.error)}`;
}
