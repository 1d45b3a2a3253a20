/** In the order in which they are taken where several fit as well: commas are in texts and numbers more often than the others. */
export const SEPARATORS = ['\t', ';', ',', '|'] as const;

/** Undefined: one column, whatever is in it. */
export type Separator = (typeof SEPARATORS)[number] | undefined;
