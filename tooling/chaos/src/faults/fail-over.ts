import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../fault.js';

/** The primary is killed, and a standby that every commit had waited for is promoted in its place. */
export const failOver: Fault = {
  name: 'fail-over',
  needs: ['proxies'],
  at: 'server',
  seconds: 15,
  not: { mysql: 'no synchronous standby is set up for MySQL' },
  async begin({ server, crew, history }, random) {
    const promote = await server.standBy?.();
    if (promote === undefined) throw new Error('This server makes no standby.');
    await sleep(random.whole(2_000, 4_000));
    const relieve = crew.impair('*', 'the server fails over');
    history.write({ what: 'down' });
    await promote();
    history.write({ what: 'accepting' });
    relieve();
    return async () => {};
  },
};
