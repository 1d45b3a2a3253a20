import { again, type Fault, pause } from '../fault.js';

const BLOCKED_MS = 30_000;

/** The event loop of a worker of each mode does nothing for 30 s, though its process lives. */
export const blockEventLoop: Fault = {
  name: 'blocked loop',
  needs: [],
  at: 'workers',
  seconds: 33,
  async begin({ crew, modes }, random) {
    return again(
      () => random.whole(1_000, 3_000),
      async (over) => {
        const victims = modes.map((mode) => random.pick(crew.of(mode)));
        const relieve = victims.map(({ name }) => crew.impair(name, 'blocked'));
        for (const victim of victims) crew.block(victim, BLOCKED_MS);
        await pause(BLOCKED_MS, over);
        // One that is still blocked when the fault ends early comes back later: it stays a zombie until it is stopped.
        if (!over.aborted) for (const each of relieve) each();
      },
    );
  },
};
