/** How long a handler may take to end after its signal was aborted, in milliseconds. */
export const GRACE_MS = 5_000;

/** The time to settle a claim after the grace period, in milliseconds. */
const MARGIN_MS = 10_000;

/** When the server takes a claim away from a run that may take `timeoutMs`, in milliseconds. */
export function limitMs(timeoutMs: number): number {
  return timeoutMs + GRACE_MS + MARGIN_MS;
}
