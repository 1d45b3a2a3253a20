import { setTimeout as sleep } from 'node:timers/promises';
import { progress } from './progress.mjs';

const IDLE_MS = 6_000;
const QUICK_MS = 300;

/** Which share of a core the server uses while nothing is enqueued: by itself, and with each of these systems waiting for work. */
export async function idleShares(stage, database, entries) {
  const forMs = stage.options.quick ? QUICK_MS : IDLE_MS;
  const share = async () => {
    // The server has its own work behind what came before.
    await sleep(forMs / 3);
    const [from, begin] = [await stage.serverCpuSeconds(database), performance.now()];
    await sleep(forMs);
    return ((await stage.serverCpuSeconds(database)) - from) / ((performance.now() - begin) / 1000);
  };
  const shares = [];
  for (const entry of [null, ...entries]) {
    const title = entry?.title ?? 'nobody';
    progress(`idle on ${database}: ${title}`);
    const measured =
      entry === null
        ? await share()
        : await stage.play(entry, async ({ call }) => {
            await call('work');
            return share();
          });
    shares.push({ title, share: measured });
  }
  progress('');
  return shares;
}
