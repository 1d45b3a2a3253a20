/** The words of a text, without accents and in lower case: `Müller-Str. 5` is `muller`, `str` and `5`. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** A phone, part or serial number without what people write between its parts: `OB-15/2240` is `ob152240`. */
export function codeOf(text: string): string {
  return wordsOf(text).join('');
}

/**
 * The two words by which a number is found: by how it begins, and by how it ends.
 * Text search finds words by their beginning alone, so the second word is the number backwards.
 */
export function wordsOfCode(code: string): readonly [begin: string, end: string] {
  return [`x${code}`, `z${[...code].reverse().join('')}`];
}
