import { setTimeout as sleep } from 'node:timers/promises';
import { again } from '../again.js';
import type { Fault } from '../fault.js';

/** The server is killed, is away for a moment, and starts again with its data. */
export const restartServer: Fault = {
  name: 'server restart',
  needs: [],
  at: 'server',
  seconds: 32,
  async begin({ crew, server, history }, random) {
    return again(
      () => random.whole(4_000, 6_000),
      async () => {
        const relieve = crew.impair('*', 'the server is away');
        history.write({ what: 'down' });
        await server.kill();
        await sleep(random.whole(0, 1_000));
        await server.restart();
        history.write({ what: 'accepting' });
        relieve();
      },
    );
  },
};
