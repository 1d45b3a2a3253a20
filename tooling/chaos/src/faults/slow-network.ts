import type { Fault } from '../fault.js';

/** Each packet takes up to 60 ms more, in both directions. */
export const slowNetwork: Fault = {
  name: 'latency',
  needs: ['proxies'],
  at: 'workers',
  seconds: 15,
  async begin({ crew, producers }, random) {
    const proxies = [...crew.hands.map(({ proxy }) => proxy), producers].flatMap((proxy) => proxy ?? []);
    for (const { weather } of proxies) weather.delayMs = () => random.next() * 60;
    return async () => {
      for (const { weather } of proxies) weather.delayMs = () => 0;
    };
  },
};
