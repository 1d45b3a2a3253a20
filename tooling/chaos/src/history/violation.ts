/** What a history can be guilty of. */
export const VIOLATIONS = [
  'lost',
  'doubled',
  'overlap',
  'effect',
  'uncovered',
  'order',
  'zombie',
  'poison',
] as const;

export interface Violation {
  readonly what: (typeof VIOLATIONS)[number];
  /** A sentence with the names by which it is found in the history. */
  readonly told: string;
}
