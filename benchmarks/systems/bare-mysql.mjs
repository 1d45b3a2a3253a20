// The least that the database must be asked for the same service, from Node, on Rowlock's own tables: what can go in one
// flight goes in one. A lane is a connection that works one transaction after the other. A claim begins at the place that the lanes have
// come to, because what is before it is dead rows, and locks nothing but jobs.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { mysql } from '@rowlock/driver-mysql';
import { createConnection } from 'mysql2/promise';
import { connect } from '../connect.mjs';
import { EFFECT } from '../effect.mjs';

const CLAIM = `
  SELECT job.id, job.public_id, job.queue, job.kind, job.\`key\`, job.payload, job.priority, job.status, job.attempt, job.max_attempts,
         job.crashes, job.metadata, job.created_at
  FROM rowlock_job AS place FORCE INDEX (job_claim)
  STRAIGHT_JOIN rowlock_job AS job FORCE INDEX (PRIMARY) ON job.id = place.id
  WHERE place.queue = 'default' AND place.claimable = 1 AND place.limits = '' AND place.priority = 0 AND place.id > ?
    AND place.available_at <= UTC_TIMESTAMP(6) AND place.kind = 'noop' AND job.status = 'new'
  ORDER BY place.priority, place.id LIMIT ?
  FOR UPDATE OF job SKIP LOCKED`;

const RECORD = 'INSERT INTO rowlock_run (process_id, job_id, worker_id) VALUES ?';

const SETTLE = `
  UPDATE rowlock_job SET status = 'complete', process_id = ?, attempt = attempt + 1, started_at = UTC_TIMESTAMP(6),
         started_by = 'bare', finished_at = UTC_TIMESTAMP(6), finished_by = 'bare'
  WHERE id IN (?)`;

const END_RUNS = `UPDATE rowlock_run SET finished_at = UTC_TIMESTAMP(6), outcome = 'complete' WHERE process_id = ?`;

const INSERT = `INSERT INTO rowlock_job (kind, payload, created_by) VALUES ?`;

/** How many jobs one statement takes. */
const MOST = 10_000;

/** Then the lane begins anew: a deadlock, and a call that came when nobody slept any more. */
const AGAIN = [1213, 1317];

export async function open({
  url,
  lanes = 24,
  batch = 1,
  records = false,
  writes = false,
  hasTables = false,
}) {
  if (!hasTables) await migrate(url);
  const plain = await connect('mysql', url);
  if (writes) await plain.ask(EFFECT.mysql.table);
  const producers = await connections(url, 10);
  const [producer] = producers;
  let turn = 0;
  let crew;

  const insert = (on, payloads) =>
    on.query(INSERT, [payloads.map((payload) => ['noop', String(payload), 'bare'])]);
  const enqueueMany = (jobs) =>
    insert(
      producer,
      Array.from({ length: jobs }, (_, place) => place),
    );
  return {
    mostAtOnce: MOST,
    enqueueMany,
    async fill(jobs) {
      for (let left = jobs; left > 0; left -= MOST) await enqueueMany(Math.min(left, MOST));
    },
    async enqueue(payload) {
      const on = producers[turn++ % producers.length];
      await insert(on, [payload]);
      // Not waited for, as it may be late.
      void crew?.wake();
    },
    async start(onRun, { listens = false } = {}) {
      crew = await startCrew(url, { lanes, batch, records, writes, listens, onRun });
    },
    stop: () => crew?.stop(),
    unsettled: () => plain.number(`SELECT COUNT(*) FROM rowlock_job WHERE status IN ('new', 'in-progress')`),
    async close() {
      await Promise.all([plain, ...producers].map((client) => client.end()));
    },
  };
}

async function migrate(url) {
  const driver = mysql({ uri: url });
  await driver.schema.migrate();
  await driver.close();
}

async function startCrew(url, { lanes, batch, records, writes, listens, onRun }) {
  const clients = await connections(url, lanes);
  await Promise.all(clients.map((client) => client.query('SET autocommit = 0')));
  const recorders = records ? await connections(url, lanes) : [];
  const [caller] = await connections(url, 1);
  let isStopping = false;
  let isAsleep = false;
  let isRung = false;
  let isCalling = false;
  /** The kill that is on its way. */
  let killing = Promise.resolve();

  /** Several statements go in one flight, and the last one's rows come back. */
  const flight = async (client, text, values) => {
    const [results] = await client.query(text, values);
    return results.findLast((result) => Array.isArray(result)) ?? [];
  };

  let place = 0;
  const claimed = (found) => {
    place = Math.max(place, ...found.map(({ id }) => Number(id)));
    return found;
  };

  const lane = async (client, recorder) => {
    let rows = [];
    let isFirst = true;
    while (!isStopping) {
      try {
        if (rows.length === 0) {
          if (!isFirst) {
            await client.query('COMMIT');
            if (!listens) break;
            // A job may become visible after one with a greater id.
            if (place > 0) place = 0;
            else await nap(client);
          }
          isFirst = false;
          isRung = false;
          // By itself: a kill that came too late for the nap may end it. The server sends nothing more of a flight of several
          // statements that is killed between two of them, and its client would wait for ever.
          rows = claimed((await client.query(CLAIM, [place, batch]))[0]);
          continue;
        }
        const processId = randomUUID();
        const ids = rows.map(({ id }) => id);
        if (records) await recorder.query(RECORD, [ids.map((id) => [processId, id, 1])]);
        for (const { payload } of rows) onRun(payload);
        // As a handler does that looks at the answer before it ends.
        if (writes) for (const { payload } of rows) await client.query(EFFECT.mysql.insert, [payload]);
        const settle = records ? `${SETTLE}; ${END_RUNS}` : SETTLE;
        const values = records ? [processId, ids, processId] : [processId, ids];
        rows = claimed(await flight(client, `${settle}; COMMIT; ${CLAIM}`, [...values, place, batch]));
      } catch (error) {
        if (!AGAIN.includes(error.errno)) throw error;
        await client.query('ROLLBACK');
        // What was claimed is free again.
        [rows, isFirst, place] = [[], true, 0];
      }
    }
    if (isStopping) await client.query('ROLLBACK').catch(() => {});
  };

  const nap = async (client) => {
    if (isRung || isStopping) return;
    isAsleep = true;
    await client.query('DO SLEEP(10)').catch(() => {});
    isAsleep = false;
    await killing;
  };

  /** A call that comes before the sleep is lost: so it is repeated. */
  const call = async () => {
    isRung = true;
    if (isCalling) return;
    isCalling = true;
    while (isAsleep) {
      killing = caller.query(`KILL QUERY ${clients[0].threadId}`).catch(() => {});
      await killing;
      await sleep(1);
    }
    isCalling = false;
  };
  const working = Promise.all(clients.map((client, place) => lane(client, recorders[place])));
  return {
    wake: call,
    async stop() {
      isStopping = true;
      await call();
      await working;
      await Promise.all([...clients, ...recorders, caller].map((client) => client.end()));
    },
  };
}

function connections(url, count) {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const client = await createConnection({ uri: url, multipleStatements: true });
      client.on('error', () => {});
      await client.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
      return client;
    }),
  );
}
