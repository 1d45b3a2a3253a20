/** A run, as far as it matters to calls through its transaction. */
interface RunOfHandle {
  /** The runs that share its transaction, itself among them. */
  readonly together: readonly { readonly redrives: ReadonlyMap<string, number> }[];
  /** The calls that the run waits for. */
  readonly calls: { add<Answer>(call: Promise<Answer>): Promise<Answer> };
}

/** The run that each handle was given to. */
const runs = new WeakMap<object, RunOfHandle>();

/**
 * Notes which run gets a handle.
 *
 * @returns the handle
 */
export function givenTo<Tx>(run: RunOfHandle, handle: Tx): Tx {
  if (typeof handle === 'object' && handle !== null) runs.set(handle, run);
  return handle;
}

/**
 * Whether the transaction of this handle settles a job. The job may be of the handle's run, or of another run in its
 * batch.
 */
export function isSettledThrough(tx: unknown, publicId: string): boolean {
  return runOf(tx)?.together.some(({ redrives }) => redrives.has(publicId)) ?? false;
}

/**
 * Makes the run of this handle wait for a call, if a run has it. The call may have statements to send that the handler
 * does not wait for.
 *
 * @returns the call
 */
export function awaitedByRun<Answer>(tx: unknown, call: Promise<Answer>): Promise<Answer> {
  return runOf(tx)?.calls.add(call) ?? call;
}

function runOf(tx: unknown): RunOfHandle | undefined {
  return typeof tx === 'object' && tx !== null ? runs.get(tx) : undefined;
}
