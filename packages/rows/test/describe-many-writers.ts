import { append, increment, type Json, merge, type Operation } from '@rowlock/core';
import { describe, expect, test } from 'vitest';

/** A table of the application's own, whose rows are numbered from 0 on and have NULL in a JSON column. */
export interface JsonRows {
  /** Reads the column of all rows with plain SQL, in their order. */
  read(): Promise<readonly Json[]>;
  /** The driver's `updateJson` on a row. */
  update(row: number, operations: readonly Operation[]): Promise<number>;
  close(): Promise<void>;
}

const WRITERS = 50;

/** How many updates a writer makes on a row. More would take long: a server writes all of a row for each of them. */
const TOGETHER = 40;

/** A net. */
const TEST_MS = 3_600_000;

/**
 * Fifty writers at once, each with a connection of its own, on one row after the other. A driver's own test file calls this once.
 *
 * Read from the environment: `UPDATES`, how many each of them makes, in steps of 40. Default: 40.
 */
export function describeManyWriters(
  name: string,
  open: (writers: number, rows: number) => Promise<JsonRows>,
): void {
  const rows = Math.max(1, Math.ceil(Number(process.env.UPDATES ?? TOGETHER) / TOGETHER));
  const turns = Array.from({ length: TOGETHER }, (_, turn) => turn);

  describe(`JSON updates on ${name}`, () => {
    test(`${WRITERS} writers of ${rows * TOGETHER} updates each lose nothing`, {
      timeout: TEST_MS,
    }, async () => {
      const table = await open(WRITERS, rows);
      try {
        const write = async (writer: number): Promise<void> => {
          for (let row = 0; row < rows; row += 1)
            for (const turn of turns) {
              const operations = [
                increment('count'),
                append('log', [{ writer, turn }]),
                merge('by', { [`writer ${writer}`]: { turns: turn + 1 } }),
              ];
              expect(await table.update(row, operations)).toBe(1);
            }
        };
        await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
        const written = await table.read();
        expect(written).toHaveLength(rows);
        for (const json of written) expectAll(json, turns);
      } finally {
        await table.close();
      }
    });
  });
}

/** Each writer's items are all there, once, and in its order. */
function expectAll(json: Json, turns: readonly number[]): void {
  const { count, log = [], by }: { count?: Json; log?: readonly Item[]; by?: Json } = Object(json);
  expect(count).toBe(WRITERS * turns.length);
  expect(log).toHaveLength(WRITERS * turns.length);
  const logs = Map.groupBy(log, ({ writer }) => writer);
  for (let writer = 0; writer < WRITERS; writer += 1)
    expect(logs.get(writer)?.map(({ turn }) => turn)).toEqual(turns);
  expect(Object.keys(Object(by))).toHaveLength(WRITERS);
  expect(Object.values(Object(by))).toEqual(Array.from({ length: WRITERS }, () => ({ turns: turns.length })));
}

interface Item {
  readonly writer: number;
  readonly turn: number;
}
