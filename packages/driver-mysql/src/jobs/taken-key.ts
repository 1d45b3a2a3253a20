/** A unique key in the form of the table's column. */
export function takenKey(kind: string, key: string): string {
  return `${[...kind].length} ${kind}${key}`;
}

/** A text before this one in the order of code points, with almost nothing in between. */
export function justBefore(text: string): string {
  const characters = [...text];
  const last = characters.pop()?.codePointAt(0) ?? 0;
  if (last === 0) return characters.join('');
  // The code points right before U+E000 are surrogates, which are no characters.
  const before = last === 0xe000 ? 0xd7ff : last - 1;
  return `${characters.join('')}${String.fromCodePoint(before)}\u{10ffff}`;
}
