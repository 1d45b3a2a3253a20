import { setTimeout as sleep } from 'node:timers/promises';

/** Looks again and again until what is looked for is there, and gives it back; it may be a falsy value for "not yet". */
export async function eventually<Value>(
  look: () => Promise<Value | undefined | false>,
  // A net: no test's outcome depends on how long it is.
  { withinMs = 60_000, everyMs = 25 } = {},
): Promise<Value> {
  for (const until = Date.now() + withinMs; ; await sleep(everyMs)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > until) throw new Error(`Not within ${withinMs} ms.`);
  }
}
