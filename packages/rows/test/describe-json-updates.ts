import { type Json, type Operation, RowlockError } from '@rowlock/core';
import { apply, checkOperations } from '@rowlock/core/driver';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { updates } from './drawn-updates.js';

/** A table of the application's own with one row, whose JSON column may be NULL. */
export interface JsonTable {
  /** Writes the column with plain SQL. Undefined is NULL. */
  write(json: Json | undefined): Promise<void>;
  /** Reads it with plain SQL. NULL is null. */
  read(): Promise<Json>;
  /** The driver's `updateJson` on the row. */
  update(operations: readonly Operation[]): Promise<number>;
  close(): Promise<void>;
}

/** How many updates are drawn, and by which seed. */
const { JSON_RUNS = '600', JSON_SEED = '1' } = process.env;

/**
 * Random operations on random JSON. The column must have the value that `apply` of core has, or the update must be
 * refused for the same operation and reason, and have written nothing. A driver's own test file calls this once.
 *
 * Read from the environment: `JSON_RUNS`, how many; and `JSON_SEED`, which.
 */
export function describeJsonUpdates(name: string, open: () => Promise<JsonTable>): void {
  describe(`JSON updates on ${name}`, () => {
    let table: JsonTable;

    beforeAll(async () => {
      table = await open();
    });

    afterAll(() => table.close());

    test('have the results of the definition', { timeout: 600_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(updates, async ({ before, operations }) => {
          const expected = outcomeOf(() => apply(checkOperations(operations), before ?? null));
          await table.write(before);
          const updated = await table.update(operations).then(
            () => 'updated',
            (error: unknown) => refusalOf(error),
          );
          const after = await table.read();
          if ('refused' in expected) {
            expect(updated).toEqual(expected.refused);
            expect(after).toEqual(before === undefined ? null : plain(before));
          } else {
            expect(updated).toBe('updated');
            expect(after).toEqual(plain(expected.json));
          }
        }),
        { numRuns: Number(JSON_RUNS), seed: Number(JSON_SEED) },
      );
    });
  });
}

type Outcome = { readonly json: Json } | { readonly refused: unknown };

function outcomeOf(work: () => Json): Outcome {
  try {
    return { json: work() };
  } catch (error) {
    return { refused: refusalOf(error) };
  }
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof RowlockError)) throw error;
  return { code: error.code, operation: Object(error).operation, reason: Object(error).reason };
}

/** As JSON gives it back: -0 becomes 0. */
function plain(json: Json): Json {
  return JSON.parse(JSON.stringify(json));
}
