import { type Ask, byHand } from './by-hand.js';

/** So few rows that writers meet. */
export const IDS = 40;

type Change = (ask: Ask, pick: Pick) => Promise<unknown>;

/** A random whole number from 1 to `most`. */
type Pick = (most: number) => number;

/** Changes the table like any program: each transaction has up to three changes, and a fifth is rolled back. */
export async function write(url: string, pick: Pick): Promise<boolean> {
  return byHand(url, async (ask) => {
    await ask('BEGIN');
    for (let left = pick(3); left > 0; left -= 1) await CHANGES[pick(CHANGES.length) - 1]?.(ask, pick);
    const isKept = pick(5) > 1;
    await ask(isKept ? 'COMMIT' : 'ROLLBACK');
    return isKept;
  });
}

const CHANGES: readonly Change[] = [
  (ask, pick) =>
    ask('INSERT INTO item (id, name, price, note) VALUES (?, ?, ?, NULL)', [
      pick(IDS),
      text(pick),
      price(pick),
    ]),
  (ask, pick) => ask('UPDATE item SET name = ? WHERE id = ?', [text(pick), pick(IDS)]),
  (ask, pick) =>
    ask('UPDATE item SET price = ?, note = ? WHERE id = ?', [price(pick), text(pick), pick(IDS)]),
  (ask, pick) => ask('UPDATE item SET price = price + 1 WHERE id BETWEEN ? AND 40', [pick(IDS)]),
  (ask, pick) => ask('UPDATE item SET id = ? WHERE id = ?', [pick(IDS), pick(IDS)]),
  (ask, pick) => ask('DELETE FROM item WHERE id = ?', [pick(IDS)]),
];

function text(pick: Pick): string {
  return `Übung ⚓ ${'x'.repeat(pick(20))} ${pick(1_000_000)}`;
}

function price(pick: Pick): string {
  return `${pick(9_000)}.${pick(89) + 10}`;
}
