import { again, pause } from '../again.js';
import type { Fault } from '../fault.js';

/** Longer than what bounds a claim at the server, and than the drivers wait for an answer. */
const SWALLOWED_MS = 22_000;

/**
 * Half-open connections: between a worker of each mode and its server nothing passes any more, and neither hears of it. At the end
 * they are cut. What ends it before: at the server, the limit of a claim's transaction and of a lease, the longest handler's time
 * and 15 s; in the worker, the driver's `answerTimeout`, 20 s. TCP's signs of life do not: the proxy's own system gives them.
 */
export const swallowPackets: Fault = {
  name: 'half-open',
  needs: ['proxies'],
  at: 'workers',
  seconds: 27,
  async begin({ crew, modes }, random) {
    return again(
      () => random.whole(2_000, 4_000),
      async (over) => {
        const victims = modes.map((mode) => random.pick(crew.of(mode)));
        const relieve = victims.map(({ name }) => crew.impair(name, 'swallowed'));
        for (const { proxy } of victims) if (proxy) proxy.weather.swallow = true;
        await pause(SWALLOWED_MS, over);
        for (const { proxy } of victims) {
          if (proxy === null) continue;
          proxy.cut();
          proxy.weather.swallow = false;
        }
        for (const each of relieve) each();
      },
    );
  },
};
