/**
 * The most text in a statement, in UTF-16 units. In JSON within JSON each unit takes up to 3 bytes, so that a statement stays below
 * the 4 MB that the smallest servers take. A job by itself stays below too, as it has 1 MB at most.
 */
const LONGEST_STATEMENT = 1_000_000;

/** The length of a row beside its texts. */
const LEAST_ROW = 100;

/** Rows that fit into one statement each, in the same order. A server refuses a text longer than its `max_allowed_packet`. */
export function inPackets<Row extends object>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const packets: Row[][] = [];
  let left = 0;
  for (const row of rows) {
    const length = lengthOf(row);
    left -= length;
    if (left < 0) {
      packets.push([]);
      left = LONGEST_STATEMENT - length;
    }
    packets.at(-1)?.push(row);
  }
  return packets;
}

function lengthOf(row: object): number {
  let length = LEAST_ROW;
  for (const value of Object.values(row)) if (typeof value === 'string') length += value.length;
  return length;
}
