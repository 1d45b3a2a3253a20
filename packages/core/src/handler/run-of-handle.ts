/** A run, as far as its jobs matter here. */
interface JobsOfRun {
  /** The runs that share its transaction, itself among them. */
  readonly together: readonly { readonly redrives: ReadonlyMap<string, number> }[];
}

/** The run that each handle was given to. */
const runs = new WeakMap<object, JobsOfRun>();

/**
 * Notes which run gets a handle.
 *
 * @returns the handle
 */
export function givenTo<Tx>(run: JobsOfRun, handle: Tx): Tx {
  if (typeof handle === 'object' && handle !== null) runs.set(handle, run);
  return handle;
}

/**
 * Whether the transaction of this handle settles a job. The job may be of the handle's run, or of another run in its
 * batch.
 */
export function isSettledThrough(tx: unknown, publicId: string): boolean {
  const run = typeof tx === 'object' && tx !== null ? runs.get(tx) : undefined;
  return run?.together.some(({ redrives }) => redrives.has(publicId)) ?? false;
}
