/** The two ways to keep a claim. */
export const MODES = ['hold', 'lease'] as const;

export type Mode = (typeof MODES)[number];
