/** The growth of the pauses between the attempts of a job. */
export interface Backoff {
  /** The pause after the first attempt, in milliseconds. */
  readonly baseMs: number;
  /** The factor by which each further pause is longer. */
  readonly factor: number;
  /** The longest pause, in milliseconds. */
  readonly capMs: number;
}

/**
 * The pause before the next attempt, in milliseconds: exponential, capped, and between half and all of it at random. So
 * jobs that failed together do not come back together ("equal jitter" of
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 *
 * @param attempt The attempts made so far, from 1.
 * @param random From 0 up to 1.
 */
export function backoffMs(
  { baseMs, factor, capMs }: Backoff,
  attempt: number,
  random = Math.random(),
): number {
  const pause = Math.min(capMs, baseMs * factor ** Math.max(0, attempt - 1));
  return Math.round(pause / 2 + (pause / 2) * random);
}
