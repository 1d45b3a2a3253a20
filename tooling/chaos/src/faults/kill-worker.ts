import { again } from '../again.js';
import type { Fault } from '../fault.js';

/** kill -9 of workers at random moments, one of each mode at a time, while the others work. */
export const killWorker: Fault = {
  name: 'kill -9',
  needs: [],
  at: 'workers',
  seconds: 32,
  async begin({ crew, modes }, random) {
    const workers = crew.hands.length / modes.length;
    return again(
      () => random.whole(400, 900),
      async () => {
        for (const mode of modes) {
          const hands = crew.of(mode);
          if (hands.length === workers && hands.every((hand) => hand.isWorking()))
            crew.kill(random.pick(hands));
        }
      },
    );
  },
};
