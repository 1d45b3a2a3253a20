// The least that the database must be asked for the same service, from Node, on Rowlock's own tables: each statement
// prepared, each flight pipelined. A lane is a connection that works one transaction after the other. A claim begins at the place that
// the lanes have come to, because what is before it is dead rows.
import { randomUUID } from 'node:crypto';
import { postgres } from '@rowlock/driver-postgres';
import pg from 'pg';
import { connect } from '../connect.mjs';
import { EFFECT } from '../effect.mjs';

const CLAIM = `
  SELECT id, public_id, queue, kind, key, payload, priority, status, attempt, max_attempts, crashes, metadata, created_at
  FROM rowlock.job
  WHERE queue = 'default' AND status = 'new' AND due AND limits = '' AND available_at <= statement_timestamp()
    AND (priority, id) > (0, $2) AND kind = 'noop'
  ORDER BY priority, id LIMIT $1
  FOR NO KEY UPDATE SKIP LOCKED`;

const RECORD = `INSERT INTO rowlock.run (process_id, job_id, worker_id) SELECT $1, id, 1 FROM unnest($2::bigint[]) AS id`;

const SETTLE = `
  UPDATE rowlock.job SET status = 'complete', process_id = $1, attempt = attempt + 1, started_at = clock_timestamp(),
         started_by = 'bare', finished_at = clock_timestamp(), finished_by = 'bare'
  WHERE id = ANY($2::bigint[])`;

const SETTLE_RECORDED = `
  WITH settled AS (${SETTLE} RETURNING id)
  UPDATE rowlock.run SET finished_at = clock_timestamp(), outcome = 'complete'
  FROM settled WHERE process_id = $1 AND job_id = settled.id`;

const INSERT = `
  INSERT INTO rowlock.job (kind, payload, created_by)
  SELECT 'noop', payload, 'bare' FROM unnest($1::jsonb[]) AS payload`;

/** How many jobs one statement takes. */
const MOST = 10_000;

export async function open({
  url,
  lanes = 24,
  batch = 1,
  records = false,
  writes = false,
  hasTables = false,
}) {
  if (!hasTables) await migrate(url);
  const plain = await connect('postgres', url);
  if (writes) await plain.ask(EFFECT.postgres.table);
  const producers = await pipelined(url, 10);
  const [producer] = producers;
  let turn = 0;
  let crew;

  const insert = (on, payloads) => ask(on, 'insert', INSERT, [payloads.map(String)]);
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
      if (crew?.listens) void ask(on, 'notify', 'NOTIFY bare');
    },
    async start(onRun, { listens = false } = {}) {
      crew = await startCrew(url, { lanes, batch, records, writes, listens, onRun });
    },
    stop: () => crew?.stop(),
    unsettled: () => plain.number(`SELECT count(*) FROM rowlock.job WHERE status IN ('new', 'in-progress')`),
    async close() {
      await Promise.all([plain, ...producers].map((client) => client.end()));
    },
  };
}

async function migrate(url) {
  const driver = postgres({ connectionString: url });
  await driver.schema.migrate();
  await driver.close();
}

async function startCrew(url, { lanes, batch, records, writes, listens, onRun }) {
  const clients = await pipelined(url, lanes);
  const recorders = records ? await pipelined(url, lanes) : [];
  // A record need not be on the disk before its job's settlement, which is.
  await Promise.all(recorders.map((recorder) => recorder.query('SET synchronous_commit = off')));
  let isStopping = false;
  let wake = () => {};
  const woken = () => new Promise((resolve) => (wake = resolve));
  if (listens) {
    clients[0].on('notification', () => wake());
    await clients[0].query('LISTEN bare');
  }

  let place = 0;
  const lane = async (client, recorder) => {
    const next = async () => {
      void client.query('BEGIN');
      const claimed = await ask(client, 'claim', CLAIM, [batch, place]);
      place = Math.max(place, ...claimed.map(({ id }) => Number(id)));
      return claimed;
    };
    let nextWake = woken();
    let rows = await next();
    while (!isStopping) {
      if (rows.length === 0) {
        await client.query('COMMIT');
        if (!listens) break;
        // A job may become visible after one with a greater id.
        if (place > 0) place = 0;
        else {
          await nextWake;
          nextWake = woken();
        }
        rows = await next();
        continue;
      }
      const processId = randomUUID();
      const ids = rows.map(({ id }) => id);
      if (records) await ask(recorder, 'record', RECORD, [processId, ids]);
      for (const { payload } of rows) onRun(payload);
      // As a handler does that looks at the answer before it ends.
      if (writes)
        for (const { payload } of rows) await ask(client, 'effect', EFFECT.postgres.insert, [payload]);
      const [, , claimed] = await Promise.all([
        records
          ? ask(client, 'settle recorded', SETTLE_RECORDED, [processId, ids])
          : ask(client, 'settle', SETTLE, [processId, ids]),
        client.query('COMMIT'),
        next(),
      ]);
      rows = claimed;
    }
    if (isStopping) await client.query('ROLLBACK').catch(() => {});
  };
  const working = Promise.all(clients.map((client, place) => lane(client, recorders[place])));
  return {
    listens,
    async stop() {
      isStopping = true;
      wake();
      await working;
      await Promise.all([...clients, ...recorders].map((client) => client.end()));
    },
  };
}

async function pipelined(url, connections) {
  const clients = Array.from(
    { length: connections },
    () => new pg.Client({ connectionString: url, pipeline: true }),
  );
  for (const client of clients) client.on('error', () => {});
  await Promise.all(clients.map((client) => client.connect()));
  return clients;
}

async function ask(client, name, text, values) {
  return (await client.query({ name, text, values })).rows;
}
