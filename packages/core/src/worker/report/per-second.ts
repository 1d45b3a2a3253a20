import type { Clock } from '../../clock.js';
import { mayBeOfOne } from '../../driver/apart.js';
import { causesOf } from '../../is-error.js';
import type { Logger } from '../../logger.js';

const EVERY_MS = 1_000;

/**
 * A log that has one entry a second of each warning that comes of the server, as all slots lose their connections at once. The
 * first warning is logged at once. While more come, an entry a second says in `others` how many there were.
 */
export function perSecond(log: Logger, clock: Clock): Logger {
  const others = new Map<string, number>();
  return {
    ...log,
    warn(fields, message) {
      const { err } = Object(fields);
      const cause = causesOf(err).find((each) => !mayBeOfOne(each));
      if (cause === undefined) return log.warn(fields, message);
      const kind = `${message} ${Object(cause).code}`;
      const known = others.get(kind);
      if (known !== undefined) return void others.set(kind, known + 1);
      const logLater = (): void => {
        const number = others.get(kind) ?? 0;
        others.delete(kind);
        if (number === 0) return;
        log.warn({ err, others: number }, message);
        begin();
      };
      const begin = (): void => {
        others.set(kind, 0);
        clock.after(EVERY_MS, logLater);
      };
      log.warn(fields, message);
      begin();
    },
  };
}
