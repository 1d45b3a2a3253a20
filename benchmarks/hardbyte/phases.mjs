import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../connect.mjs';

const READERS = 4;
const READ_EVERY_MS = 100;
const KILL_EVERY_MS = 500;
const IDLE_CONNECTIONS = 300;

const recovery = { name: 'recovery' };

/**
 * The harness's phases, in the order in which they are played. `load` multiplies the rate; `begin` does what disturbs, and what it
 * returns ends that.
 */
export const PHASES = [
  { name: 'warm-up' },
  { name: 'clean' },
  { name: 'high load', load: 1.5 },
  { name: 'idle in transaction', begin: idleInTransaction },
  { name: 'active readers', begin: activeReaders },
  recovery,
  { name: 'server restarted', begin: restart },
  recovery,
  { name: 'backends killed', begin: killBackends },
  recovery,
  { name: 'pool exhausted', begin: exhaust },
  recovery,
  { name: 'worker killed', begin: (place) => killWorker(place, 1) },
  recovery,
  { name: 'killed again and again', begin: (place) => killWorker(place, 4) },
  recovery,
];

/** A transaction that keeps the server from clearing up. */
async function idleInTransaction({ url }) {
  const holder = await connect('postgres', url);
  await holder.ask('BEGIN');
  await holder.ask('SELECT txid_current()');
  return () => holder.end();
}

/** Readers of the hot table, each in one old snapshot. */
async function activeReaders({ url, adapter }) {
  const [table] = adapter.descriptor.event_tables;
  return repeated(
    await Promise.all(Array.from({ length: READERS }, () => connect('postgres', url))),
    async (reader, isFirst) => {
      if (isFirst) await reader.ask('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await reader.ask(`SELECT count(*) FROM ${table}`);
    },
    READ_EVERY_MS,
  );
}

/** Away for a third of the phase. */
async function restart({ server, ms, signal }) {
  const restarted = (async () => {
    await server.kill();
    // It comes back also when the play is over before.
    await sleep(ms / 3, undefined, { signal }).catch(() => {});
    await server.restart();
  })();
  return () => restarted;
}

/** All that are at work, twice a second. */
async function killBackends({ adminUrl, url }) {
  const database = new URL(url).pathname.slice(1);
  return repeated(
    [await connect('postgres', adminUrl)],
    (killer) =>
      killer.ask(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = $1 AND pid <> pg_backend_pid() AND state IN ('active', 'idle in transaction')`,
        [database],
      ),
    KILL_EVERY_MS,
  );
}

/** Idle connections, as many as the server gives. */
async function exhaust({ url }) {
  const held = [];
  while (held.length < IDLE_CONNECTIONS) {
    const idle = await connect('postgres', url).catch(() => null);
    if (idle === null) break;
    held.push(idle);
  }
  return () => Promise.all(held.map((idle) => idle.end()));
}

/** So many times in the phase, and each time started again after a moment. */
async function killWorker({ adapter, ms, signal }, times) {
  const turn = ms / times;
  const killed = (async () => {
    for (let time = 0; time < times; time++) {
      await adapter.kill();
      await sleep(turn / 4, undefined, { signal });
      // The time that it takes to come up does not count, so that it works for a while between two kills.
      await adapter.start();
      await sleep((turn * 3) / 4, undefined, { signal });
    }
  })();
  killed.catch(() => {});
  return () => killed;
}

/** Each of these connections does this again and again, until the end that is returned. */
function repeated(clients, work, everyMs) {
  let isOver = false;
  const working = Promise.all(
    clients.map(async (client) => {
      for (let isFirst = true; !isOver; isFirst = false) {
        // A reader may be ended like any other session.
        await work(client, isFirst).catch(() => {});
        await sleep(everyMs);
      }
      await client.end();
    }),
  );
  return async () => {
    isOver = true;
    await working;
  };
}
