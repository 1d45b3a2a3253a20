import type { Theme } from './theme.js';

/** Which part of the suite a test file runs: of three, the number 1, 2 or 3. */
export interface SuitePart {
  readonly number: number;
  readonly of: number;
  /** Whether it has the proofs alone, or none of them. Default: all themes. */
  readonly proofs?: 'alone' | 'none';
}

/** The themes of a part. Neighbours are of different parts, because they often take as long as each other. */
export function themesOf(themes: readonly Theme[], { number, of, proofs }: SuitePart): readonly Theme[] {
  return themes
    .filter(({ isProof }) => proofs === undefined || isProof === (proofs === 'alone'))
    .filter((_, place) => place % of === number - 1);
}

/** The file of the proofs, beside those of the parts that have none of them. */
export const PROOFS = 'leased.proof.test.ts';

/** The name of the file of a part, without its extensions: `2-of-3`. */
export function nameOf({ number, of }: SuitePart): string {
  return `${number}-of-${of}`;
}
