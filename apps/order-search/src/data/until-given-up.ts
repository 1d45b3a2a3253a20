/**
 * Runs a statement until it ends or is given up. `stop` has the server end it, and is waited for: a late one would end the next
 * statement of the connection.
 *
 * @throws the signal's reason when it is given up.
 */
export async function untilGivenUp<Result>(
  signal: AbortSignal,
  run: () => Promise<Result>,
  stop: () => Promise<unknown>,
): Promise<Result> {
  signal.throwIfAborted();
  let stopping: Promise<unknown> | undefined;
  const onAbort = (): void => {
    // Where the server cannot be reached, the statement ends with its connection.
    stopping = stop().catch(() => {});
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await run();
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    await stopping;
  }
}
