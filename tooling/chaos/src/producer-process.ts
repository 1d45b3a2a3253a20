// The first producer of a database, in a process of its own and mostly of the frozen version. It migrates, applies the captures
// and declares the schedules, and says so. At the first message it begins to enqueue. The end of the channel means: stop.
import { once } from 'node:events';
import { createRowlock } from '@rowlock/core';
import { HistoryFile } from './history/history-file.js';
import { Load } from './load.js';
import type { ProducerOrders } from './producer-orders.js';
import { Random } from './random.js';
import { CAPTURES } from './subjects/captures.js';
import { SUBJECT_SCHEDULES } from './subjects/schedules.js';
import type { System } from './system.js';
import { withSystem } from './systems.js';

const orders: ProducerOrders = JSON.parse(process.argv[2] ?? '{}');
// Ctrl-C in a terminal reaches all of the group; the conductor stops its processes by itself.
process.on('SIGINT', () => {});
const disconnected = new Promise((resolve) => process.once('disconnect', resolve));
await withSystem(orders.database, (system) => produce(system));
process.exit(0);

async function produce<Tx>(system: System<Tx>): Promise<void> {
  const { url, loadUrl, folder, modes, seed, rate, workMs } = orders;
  const rowlock = createRowlock<Tx>({ driver: system.driver(url, 4), captures: CAPTURES });
  await rowlock.migrate();
  await rowlock.captures.apply();
  for (const { name, schedule } of SUBJECT_SCHEDULES) await rowlock.schedules.set(name, schedule(0));
  await rowlock.close();
  const begin = once(process, 'message');
  process.send?.('migrated');
  await Promise.race([begin, disconnected]);
  const history = new HistoryFile(folder, 'producer');
  const loads = modes.map((mode) => {
    const options = { mode, url: loadUrl, rate, workMs, prefix: 'old-' };
    return new Load(system, history, new Random(seed, `load ${mode} of the producer`), options);
  });
  for (const load of loads) load.start();
  await disconnected;
  await Promise.all(loads.map((load) => load.stop()));
  await Promise.all(loads.map((load) => load.close()));
}
