/** The ways to keep a claim in which the subjects' jobs run. */
export const SUBJECT_MODES = ['hold', 'lease'] as const;

export type SubjectMode = (typeof SUBJECT_MODES)[number];

/** `tick`: of a schedule. `change`: of a captured row. `counted`: has a rate, and its metadata is updated meanwhile. */
export type SubjectKind = 'tick' | 'change' | 'counted';

/** Beside those of the modes, whose jobs have tags. */
export function queueOf(mode: SubjectMode): string {
  return `subjects.${mode}`;
}

export function isOfSubjects(queue: string): boolean {
  return queue.startsWith('subjects.');
}

export function kindOf(mode: SubjectMode, kind: SubjectKind): string {
  return `subjects.${mode}.${kind}`;
}

/** Many: a fault may hit one job again and again. */
export const ATTEMPTS = 100;

/** How many runs of `counted` jobs may start, of both modes together. */
export const RATE = { name: 'rate of the subjects', starts: 12, per: 1_000, burst: 5 } as const;

/** The rows that are captured: these stay, and those beyond come and go. */
export const ROWS = 30;
