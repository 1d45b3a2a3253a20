// A worker that fires schedules, in a process of its own. It says so when it has begun. The end of the channel means: stop.
import { createRowlock, defineHandler } from '@rowlock/core';
import { z } from 'zod';
import type { System } from '../system.js';
import { withSystem } from '../systems.js';
import { brokenFiring } from './broken-firing.js';
import type { FiringOrders } from './firing-orders.js';
import { declared } from './simulated-schedules.js';
import { inSimulatedTime, type SimulatedTime } from './simulated-time.js';

/** Its queue is empty: what is proved is that the ticks are enqueued. */
const Idle = defineHandler({ kind: 'idle', queue: 'idle', payload: z.null(), run: () => null });

const orders: FiringOrders = JSON.parse(process.argv[2] ?? '{}');
await withSystem(orders.database, (system) => fire(system));

async function fire<Tx>(system: System<Tx>): Promise<void> {
  const { name, url, version, broken } = orders;
  let { time } = orders;
  process.on('message', (begun: SimulatedTime) => {
    time = begun;
  });
  const driver = system.driver(url, 6);
  const rowlock = createRowlock<Tx>({
    driver: inSimulatedTime(broken === null ? driver : brokenFiring(driver, broken), () => time),
    handlers: [Idle],
    schedules: declared(version),
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  const worker = rowlock.worker({ name, concurrency: 1 });
  // Ctrl-C in a terminal reaches all of the group; the conductor stops its processes by itself.
  process.on('SIGINT', () => {});
  const disconnected = new Promise((resolve) => process.once('disconnect', resolve));
  await worker.start();
  if (process.connected) process.send?.('fires', undefined, {}, () => {});
  await disconnected;
  await rowlock.close();
}
