import type { Box } from '../src/web/picture/picture.js';

/** Boxes beside each other that are about the same: of one run, or all still waiting for one. */
export interface Stretch {
  readonly boxes: readonly [Box, ...Box[]];
  /** Boxes that this stretch's run has in the whole picture. 1 without a run. */
  readonly runSize: number;
  /** Whether an earlier stretch shows the first boxes of the same run. */
  readonly continues: boolean;
}

/** Cuts the picture into stretches, in its order. */
export function stretches(boxes: readonly Box[]): Stretch[] {
  const runs = Map.groupBy(boxes, (box) => runOf(box) ?? box.id);
  const seen = new Set<string>();
  const cut: [Box, ...Box[]][] = [];
  for (const box of boxes) {
    const last = cut.at(-1);
    if (last !== undefined && belongTogether(last[0], box)) last.push(box);
    else cut.push([box]);
  }
  return cut.map((together) => {
    const run = runOf(together[0]);
    const continues = run !== null && seen.has(run);
    if (run !== null) seen.add(run);
    return { boxes: together, continues, runSize: run === null ? 1 : (runs.get(run)?.length ?? 1) };
  });
}

function belongTogether(a: Box, b: Box): boolean {
  return a.entity === b.entity && a.kind === b.kind && runOf(a) === runOf(b) && a.status === b.status;
}

/** What waits for another attempt belongs to no run. */
function runOf({ run, status }: Box): string | null {
  return status === 'new' ? null : run;
}
