import type { EndableWait, WakeUp } from '@rowlock/core/driver';
import type { Bell } from './bell.js';

/** Pauses between two polls of the bell, in milliseconds. The last repeats. */
const POLL_MS = [5, 5, 10, 20, 50, 100, 250] as const;

/** The pause after the given number of polls, in milliseconds. */
export function pollMs(polls: number): number {
  return POLL_MS[Math.min(polls, POLL_MS.length - 1)] ?? 0;
}

/** Polls the bell until it has been rung, or `leftMs` milliseconds are over. */
export async function poll(
  bell: Bell,
  wait: EndableWait,
  leftMs: number,
  isOver: () => boolean,
): Promise<readonly WakeUp[]> {
  const until = performance.now() + leftMs;
  for (let polls = 0; performance.now() < until && !isOver(); polls++) {
    if (await bell.isRung()) break;
    await wait.pause(Math.max(0, Math.min(pollMs(polls), until - performance.now())));
  }
  return bell.receive();
}
