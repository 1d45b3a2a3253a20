/**
 * Placeholders for these values, in a number rounded up to a power of two, and the values to fill them. A server prepares each text once,
 * so there should be few texts.
 */
export function list<Item>(items: readonly Item[]): { places: string; values: (Item | null)[] } {
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, items.length)));
  const values = Array.from({ length: size }, (_, place) => items[place] ?? items.at(-1) ?? null);
  return { places: Array.from({ length: size }, () => '?').join(', '), values };
}

/** The most values in one statement. A server takes 65,535 placeholders, and a few thousand locks at a time. */
const LONGEST_LIST = 1024;

/** Lists that fit into one statement each, in the same order. No items give no list. */
export function inParts<Item>(items: readonly Item[], most = LONGEST_LIST): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / most) }, (_, part) =>
    items.slice(part * most, (part + 1) * most),
  );
}
