import type { Fault } from '../fault.js';

/**
 * Connections are cut in the middle of a COMMIT, those of workers and of producers: some before the server has got it,
 * some after, and the client cannot know which.
 */
export const cutCommits: Fault = {
  name: 'cut in COMMIT',
  needs: ['proxies'],
  at: 'workers',
  seconds: 20,
  async begin({ crew, producers }, random) {
    const proxies = [...crew.hands.map(({ proxy }) => proxy), producers].flatMap((proxy) => proxy ?? []);
    for (const { weather } of proxies) {
      weather.cutCommit = () => (random.chance(0.1) ? random.pick(['before', 'after']) : null);
    }
    return async () => {
      for (const { weather } of proxies) weather.cutCommit = () => null;
    };
  },
};
