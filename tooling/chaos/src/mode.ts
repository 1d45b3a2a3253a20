/** What a crew works in: the two ways to keep a claim, each job by itself; and held claims of many jobs at once. */
export const MODES = ['hold', 'lease', 'batch'] as const;

export type Mode = (typeof MODES)[number];

/** Whether its jobs have limits: a batch excludes them. */
export function hasLimits(mode: Mode): boolean {
  return mode !== 'batch';
}
