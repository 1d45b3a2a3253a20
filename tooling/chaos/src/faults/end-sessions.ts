import { again } from '../again.js';
import type { Fault } from '../fault.js';

/** The server ends sessions at random: those of claims, of pools and of anchors. */
export const endSessions: Fault = {
  name: 'ended sessions',
  needs: [],
  at: 'server',
  seconds: 20,
  async begin(stage, random) {
    return again(
      () => random.whole(300, 900),
      async () => {
        const relieve = stage.crew.impair('*', 'sessions are ended');
        await stage
          .plainly((plain) => stage.system.endSessions(plain, () => random.chance(0.25)))
          .catch(() => {});
        relieve();
      },
    );
  },
};
