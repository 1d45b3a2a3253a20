import type { Clock } from '../../clock.js';
import { mayBeOfOne } from '../../driver/apart.js';
import { causesOf } from '../../is-error.js';
import type { Logger } from '../../logger.js';

const EVERY_MS = 1_000;

/** From this entry in a row on, each pause is twice as long as the one before, up to a minute. */
const LASTING = 5;
const LONGEST_MS = 60_000;

/** Warnings that come so long after a pause without any are new ones, in milliseconds. */
const OVER_MS = 3_000;

/** Warnings of one kind. */
interface Warnings {
  /** How many entries in a row there were. */
  entries: number;
  /** Those since the last entry. */
  others: number;
  /** When the pause ended in which none came. Null: a pause goes on. */
  endedAt: number | null;
}

/**
 * A log that has one entry a second of each warning that comes of the server, as all slots lose their connections at once. The
 * first warning is logged at once. While more come, an entry a second says in `others` how many there were, and soon one a minute.
 */
export function perSecond(log: Logger, clock: Clock): Logger {
  const known = new Map<string, Warnings>();
  return {
    ...log,
    warn(fields, message) {
      const { err } = Object(fields);
      const cause = causesOf(err).find((each) => !mayBeOfOne(each));
      if (cause === undefined) return log.warn(fields, message);
      const kind = `${message} ${Object(cause).code}`;
      const found = known.get(kind) ?? { entries: 0, others: 0, endedAt: clock.now() };
      known.set(kind, found);
      if (found.endedAt === null) {
        found.others += 1;
        return;
      }
      if (clock.now() >= found.endedAt + OVER_MS) found.entries = 0;
      const enter = (entry: object): void => {
        log.warn(entry, message);
        found.entries += 1;
        found.others = 0;
        found.endedAt = null;
        const pauseMs = Math.min(LONGEST_MS, EVERY_MS * 2 ** Math.max(0, found.entries - LASTING));
        clock.after(pauseMs, () => {
          if (found.others > 0) enter({ err, others: found.others });
          else found.endedAt = clock.now();
        });
      };
      enter(fields);
    },
  };
}
