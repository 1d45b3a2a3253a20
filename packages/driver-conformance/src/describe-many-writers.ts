import { append, increment, type Json, merge } from '@rowlock/core';
import { describe, expect, test } from 'vitest';
import type { JsonTable } from './describe-json-updates.js';

const WRITERS = 50;

/** A net: 300 updates of each writer took five minutes, as the row becomes longer and longer. */
const TEST_MS = 3_600_000;

/**
 * Fifty writers at once, each with a connection of its own, on one row. A driver's own test file calls this once.
 *
 * Read from the environment: `UPDATES`, how many each of them makes. Default: 40.
 */
export function describeManyWriters(
  name: string,
  open: (writers: number) => Promise<Omit<JsonTable, 'write'>>,
): void {
  const updates = Number(process.env.UPDATES ?? 40);
  const turns = Array.from({ length: updates }, (_, turn) => turn);

  describe(`JSON updates on ${name}`, () => {
    test(`${WRITERS} writers of ${updates} updates each lose nothing`, { timeout: TEST_MS }, async () => {
      const table = await open(WRITERS);
      try {
        const write = async (writer: number): Promise<void> => {
          for (const turn of turns) {
            const operations = [
              increment('count'),
              append('log', [writer * updates + turn]),
              merge('by', { [`writer ${writer}`]: { turns: turn + 1 } }),
            ];
            expect(await table.update(operations)).toBe(1);
          }
        };
        await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
        expectAll(await table.read(), turns);
      } finally {
        await table.close();
      }
    });
  });
}

/** Each writer's items are all there, once, and in its order. */
function expectAll(json: Json, turns: readonly number[]): void {
  const { count, log, by }: { count?: Json; log?: readonly number[]; by?: Json } = Object(json);
  const updates = turns.length;
  expect(count).toBe(WRITERS * updates);
  expect(log).toHaveLength(WRITERS * updates);
  const logs = Map.groupBy(log ?? [], (item) => Math.floor(item / updates));
  for (let writer = 0; writer < WRITERS; writer += 1)
    expect(logs.get(writer)).toEqual(turns.map((turn) => writer * updates + turn));
  expect(Object.keys(Object(by))).toHaveLength(WRITERS);
  expect(Object.values(Object(by))).toEqual(Array.from({ length: WRITERS }, () => ({ turns: updates })));
}
