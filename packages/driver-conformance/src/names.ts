/**
 * Names that a careless collation takes for the same: letter case, accents, spaces at the end, and two ways to
 * write one character.
 */
export const LOOKALIKES: readonly (readonly [what: string, one: string, other: string])[] = [
  ['letter case', 'straße-a', 'straße-A'],
  ['an accent', 'resume', 'résumé'],
  ['a space at the end', 'sheet', 'sheet '],
  ['the normal form', 'caf\u00e9', 'cafe\u0301'],
  ['width', 'ab', '\uff41\uff42'],
  ['an emoji', 'boat 🚣', 'boat 🛶'],
];

/** Names that are more than plain text to whoever builds SQL, patterns or paths of them. */
export const ODD_NAMES: readonly string[] = [
  `'; DROP TABLE jobs; --`,
  `" OR 1=1 --`,
  '%',
  '_',
  '\\',
  "a'b",
  '$1',
  '?',
  ':name',
  '{a,b}',
  'a,b',
  'line\nbreak\ttab',
  ' ',
  'NULL',
  '__proto__',
  'ключ-鍵-🔑',
];
