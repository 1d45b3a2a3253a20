import type { Fault, Verified } from '@rowlock/core/driver';

/** A worker of the default concurrency takes so many. */
const OF_A_WORKER = 7;

/** With fewer no worker starts. */
const LEAST = 3;

/** Looks for limits on connections that are nearly reached. */
export function connections({ limits }: Verified): readonly Fault[] {
  return limits
    .filter(({ most, used }) => most - used < OF_A_WORKER)
    .map(({ name, most, used }) => ({
      severity: most < LEAST ? 'broken' : 'warning',
      what: `${name.charAt(0).toUpperCase()}${name.slice(1)} is ${most}, and others have ${used} connections now.`,
      why:
        most < LEAST
          ? `A worker needs ${LEAST} or more, so none starts.`
          : `A worker takes a connection for each run, and two more: ${OF_A_WORKER} by default. With fewer it runs less at once.`,
      remedy:
        'Raise the limit, or lower the concurrency of workers and the pools of programs that only enqueue.',
    }));
}
