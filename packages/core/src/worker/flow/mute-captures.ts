import type { Flow } from './context.js';

/**
 * Keeps a handler that writes to a captured table from enqueueing its own kind for ever. Undefined where nothing is to
 * be done. In a shared transaction each run says what it is, as an earlier one may have been of a captured kind.
 */
export function muteCaptures<Tx>(
  { driver: { captures }, calls: { captured } }: Flow<Tx>,
  kind: string,
  isShared: boolean,
): ((handle: Tx) => Promise<unknown>) | undefined {
  if (captures === undefined || captured.size === 0) return undefined;
  const isCaptured = captured.has(kind);
  if (!isCaptured && !isShared) return undefined;
  return (handle) => captures.mute(handle, isCaptured ? kind : null);
}
