import type { Anchor, WakeUp, WakeUpOptions } from '@rowlock/core/driver';
import { gate, within } from './until.js';

/** Listens to an anchor's wake-ups in the background, and keeps what it has received. */
export interface Listener {
  readonly received: readonly WakeUp[];
  /** Resolves at the first wake-up, received already or still to come, that is as asked for; from `since` on. */
  receives(what: string, wanted: (wakeUp: WakeUp) => boolean, since?: number): Promise<WakeUp>;
  /** Stops listening. Resolves when the iteration has ended. */
  stop(): Promise<void>;
}

/** Long enough that no test sees the backstop by accident. */
const NEVER_MS = 3_600_000;

export function listen(
  anchor: Anchor,
  options: Partial<WakeUpOptions> & Pick<WakeUpOptions, 'queues'>,
): Listener {
  const received: WakeUp[] = [];
  const stopping = new AbortController();
  let changed = gate();
  const signal = options.signal ?? stopping.signal;
  const ended = (async () => {
    for await (const wakeUp of anchor.wakeUps({ everyMs: NEVER_MS, ...options, signal })) {
      received.push(wakeUp);
      changed.open();
      changed = gate();
    }
  })();
  const silence = ended.then(() => {
    throw new Error('The wake-ups have ended.');
  });
  // Whoever waits for a wake-up, or for the end, reports it.
  silence.catch(() => {});

  return {
    received,
    receives: (what, wanted, since = 0) =>
      within(
        what,
        (async () => {
          for (;;) {
            const found = received.slice(since).find(wanted);
            if (found !== undefined) return found;
            await Promise.race([changed.promise, silence]);
          }
        })(),
      ),
    async stop() {
      stopping.abort();
      await within('the end of the wake-ups', ended);
    },
  };
}
