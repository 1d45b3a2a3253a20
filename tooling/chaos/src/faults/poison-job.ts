import { again } from '../again.js';
import type { Fault } from '../fault.js';

/** Jobs that kill whoever runs them, each time. */
export const poisonJob: Fault = {
  name: 'poison',
  needs: [],
  at: 'workers',
  seconds: 12,
  async begin({ loads }, random) {
    return again(
      () => random.whole(1_500, 3_000),
      () => Promise.all(loads.map((load) => load.poison())),
    );
  },
};
