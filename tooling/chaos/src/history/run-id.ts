/**
 * Names a run. Runs that share a transaction share their process id, but no job: so the first of its jobs tells a run from the others.
 */
export function runId(processId: string, firstJob: string): string {
  return `${processId}/${firstJob}`;
}

/** The process id of a run that is named so. */
export function processIdOf(run: string): string {
  return run.split('/', 1)[0] ?? run;
}
