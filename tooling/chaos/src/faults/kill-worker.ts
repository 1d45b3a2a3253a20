import { again, type Fault } from '../fault.js';

/** kill -9 of workers at random moments, one of each mode at a time, while another one works. */
export const killWorker: Fault = {
  name: 'kill -9',
  needs: [],
  seconds: 32,
  async begin({ crew, modes }, random) {
    return again(
      () => random.whole(600, 1_200),
      async () => {
        for (const mode of modes) {
          const victim = random.pick(crew.of(mode));
          if (victim.isWorking() && crew.of(mode).some((hand) => hand !== victim && hand.isWorking()))
            crew.kill(victim);
        }
      },
    );
  },
};
