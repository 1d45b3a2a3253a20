import { listen } from '../listener.js';
import { theme } from '../theme.js';
import { gate, until, within } from '../until.js';

/** Connections that are cut without a word: nobody is told, and nothing is answered. */
export const silence = theme('silence', (test) => {
  for (const sessions of ['own', 'shared'] as const) {
    test(`a worker whose sessions are ${sessions} notices, and is back under its id`, async (stage) => {
      const process = await stage.process({ sessions, cable: true });
      const [lost, back] = [gate(), gate()];
      const anchor = await process.driver.workers.anchor(
        { name: 'worker', host: 'host', pid: 1, queues: [stage.queue] },
        {
          lost: () => lost.open(),
          back: () => back.open(),
        },
      );
      stage.defer(() => anchor.release());
      const listener = listen(anchor, { queues: [stage.queue] });
      stage.defer(() => listener.stop());
      // What the pool had open is silent still.
      stage.defer(() => process.kill());
      await listener.receives('the wake-up after subscribing', () => true);
      const since = listener.received.length;
      await process.forget();
      await listener.receives('the wake-up of a new connection', () => true, since);
      if (sessions === 'own') {
        await within('it is told that its session was lost', lost.promise);
        await within('it is told that it is back', back.promise);
      }
      await until('it is alive', async () => {
        const worker = (await stage.driver.workers.list()).find(({ id }) => id === anchor.workerId);
        return worker?.alive;
      });
      const again = listener.received.length;
      await stage.driver.workers.notify([{ queue: stage.queue }]);
      await listener.receives('a wake-up', () => true, again);
    });
  }
});
