/** Names a run. Runs that share a transaction share their id, but no job: the first job tells a run from the others. */
export function runName(runId: string, firstJob: string): string {
  return `${runId}/${firstJob}`;
}

/** The id of a run that has this name. */
export function runIdOf(name: string): string {
  return name.split('/', 1)[0] ?? name;
}
