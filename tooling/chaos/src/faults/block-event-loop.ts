import { again, pause } from '../again.js';
import type { Fault } from '../fault.js';

const BLOCKED_MS = 30_000;

/** The event loop of a worker of each mode does nothing for 30 s, though its process lives. */
export const blockEventLoop: Fault = {
  name: 'blocked loop',
  needs: [],
  at: 'workers',
  seconds: 33,
  async begin({ crew, modes }, random) {
    return again(
      () => random.whole(4_000, 6_000),
      async (over) => {
        const victims = modes.map((mode) => random.pick(crew.of(mode)));
        for (const victim of victims) {
          const relieve = crew.impair(victim.name, 'blocked');
          // One that is still blocked when the fault ends stays a zombie until it goes on.
          void crew.block(victim, BLOCKED_MS).then(relieve);
        }
        await pause(BLOCKED_MS, over);
      },
    );
  },
};
