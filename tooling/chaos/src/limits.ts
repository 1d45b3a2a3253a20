import type { Result } from './cell.js';
import { percentile } from './history/recovery.js';
import type { Mode } from './mode.js';

/**
 * What recovery may take, in milliseconds: nine and a half of ten interrupted jobs run again within it. What a crash has cut off in a
 * batch is run one by one, behind what else waits, so there it is only printed.
 */
const LIMITS: readonly { readonly fault: string; readonly mode: Mode; readonly p95Ms: number }[] = [
  { fault: 'kill -9', mode: 'hold', p95Ms: 500 },
  { fault: 'kill -9', mode: 'lease', p95Ms: 2_000 },
  { fault: 'server restart', mode: 'hold', p95Ms: 3_000 },
  { fault: 'server restart', mode: 'lease', p95Ms: 3_000 },
];

/** Whether a fault's recovery has a limit in a mode. */
export function isTimed(fault: string, mode: Mode): boolean {
  return LIMITS.some((limit) => limit.fault === fault && limit.mode === mode);
}

/** How many violations of one result are printed. */
const MOST = 10;

/** What is wrong with the results, a line each. */
export function failures(results: readonly Result[]): string[] {
  return results.flatMap((result) => {
    const { fault, database, mode, violations, recoveriesMs, history } = result;
    const where = `${fault} on ${database}, ${mode}`;
    const lines = violations.slice(0, MOST).map(({ what, text }) => `${where}: ${what}: ${text}`);
    if (violations.length > MOST) lines.push(`${where}: and ${violations.length - MOST} more`);
    if (history !== null) lines.push(`${where}: the history is in ${history}`);
    if (result.jobs === 0) lines.push(`${where}: there were no jobs, so nothing is proved`);
    const p95 = percentile(recoveriesMs, 0.95);
    for (const limit of LIMITS) {
      if (limit.fault !== fault || limit.mode !== mode) continue;
      if (p95 === undefined) lines.push(`${where}: nothing was interrupted, so no recovery was measured`);
      else if (p95 > limit.p95Ms)
        lines.push(`${where}: recovery took ${Math.round(p95)} ms (p95), more than ${limit.p95Ms}`);
    }
    return lines;
  });
}
