import { expect } from 'vitest';
import { alone } from '../alone.js';
import { listen } from '../listener.js';
import type { Stage } from '../stage.js';
import { insightTheme } from '../theme.js';
import { clientOf } from '../worker-process.js';

/** How often each page looks. */
const LOOKS = 20;

/** A job that waits for a limit of one, and everything that a page shows of it, over and over. */
async function page<Tx>(stage: Stage<Tx>) {
  const { driver, queue, key: limit } = stage;
  const client = clientOf(stage, []);
  await stage.anchor(driver, { queues: [queue], kinds: { work: [] } });
  const { publicId } = await stage.put({ limits: JSON.stringify({ [limit]: 1 }) });
  const look = async (): Promise<void> => {
    await Promise.all([
      client.insight.explain(publicId),
      client.insight.picture({ queue }),
      client.limits.list(),
      client.insight.runs(publicId),
      client.insight.stats(),
    ]);
  };
  return { limit, look };
}

export const looks = insightTheme('looks', (test) => {
  test('a page that looks at a waiting job wakes nobody', async (shared) => {
    const stage = await alone(shared);
    const { process, queue, reader, driver } = stage;
    const { limit, look } = await page(stage);
    const listener = listen(await stage.anchor((await process()).driver), { queues: [queue] });
    stage.defer(() => listener.stop());
    for (let count = 0; count < LOOKS; count++) await look();
    const last = `the last after ${(await reader.now()).getTime()}`;
    await driver.workers.notify([{ schedule: last }]);
    await listener.receives('the last wake-up', (wakeUp) => 'schedule' in wakeUp && wakeUp.schedule === last);
    expect(listener.received.filter((wakeUp) => JSON.stringify(wakeUp).includes(limit))).toEqual([]);
  });

  test('no claim of a limit of one is refused while pages look', async (shared) => {
    const stage = await alone(shared);
    const { process, claimSession } = stage;
    const { limit, look } = await page(stage);
    const other = (await process()).driver;
    let isLooking = true;
    const lookOn = async (): Promise<number> => {
      let count = 0;
      for (; isLooking; count++) await look();
      return count;
    };
    const pages = [lookOn(), lookOn()];
    try {
      for (let count = 0; count < 10 * LOOKS; count++) {
        const session = claimSession(other);
        await session.enterLimits(JSON.stringify({ [limit]: 1 }));
        await session.rollback();
      }
    } finally {
      isLooking = false;
    }
    for (const count of await Promise.all(pages)) expect(count).toBeGreaterThan(0);
  });
});
