import { createRowlock } from '@rowlock/core';
import { moveOne } from '@rowlock/driver-conformance';
import { newJob } from '@rowlock/driver-conformance/internal';
import { startEmbeddedPostgres, temporaryDataDir } from '@rowlock/servers';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postgres } from '../src/index.js';

type Server = Awaited<ReturnType<typeof startEmbeddedPostgres>>;

let server: Server;
let listener: pg.Client;
let application: pg.Client;

/** Fills the queue: a session that listens reads nothing while its transaction is open. */
async function fill(): Promise<void> {
  await listener.query('LISTEN filled');
  await listener.query('BEGIN');
  await listener.query('SELECT 1');
  const notify = "SELECT pg_notify('filled', repeat('x', 7900) || $1)";
  const failure = async (): Promise<unknown> => {
    for (let sent = 0; ; sent++)
      try {
        await application.query(notify, [sent]);
      } catch (error) {
        return error;
      }
  };
  expect(await failure()).toMatchObject({ code: '54000', routine: 'PreCommit_Notify' });
}

beforeAll(async () => {
  const dataDir = temporaryDataDir('notify');
  const settings = { fsync: 'off', max_notify_queue_pages: '64' };
  server = await startEmbeddedPostgres({ dataDir, persistent: false, settings });
  listener = new pg.Client(server.url);
  application = new pg.Client(server.url);
  await listener.connect();
  await application.connect();
  const driver = postgres({ connectionString: server.url });
  await driver.schema.migrate();
  await driver.close();
  await fill();
});

afterAll(async () => {
  await listener.end();
  await application.end();
  await server.stop();
});

const statuses = async (): Promise<readonly string[]> => {
  const { rows } = await application.query('SELECT status FROM rowlock.job ORDER BY id');
  return rows.map(({ status }) => status);
};

test('an enqueue, a notification and a commit of the application are done, whose wake-ups do not fit into the queue', async () => {
  const driver = postgres({ connectionString: server.url });
  const [job] = await driver.jobs.enqueue([newJob()], [{ queue: 'q' }]);
  await driver.jobs.enqueue([newJob({ unique: { key: 'a', scope: 'ever' } }), newJob()], [{ queue: 'q' }]);
  await driver.workers.notify([{ queue: 'q' }]);
  await application.query('BEGIN');
  await driver.join(application).jobs.enqueue([newJob()], [{ queue: 'q' }]);
  await driver.join(application).workers.notify([{}]);
  await application.query("SELECT rowlock.enqueue('k', '{}', queue => 'q')");
  await application.query('COMMIT');
  expect(await statuses()).toEqual(['new', 'new', 'new', 'new', 'new']);
  await moveOne(driver, 'cancel', job?.publicId ?? '');
  expect((await statuses())[0]).toBe('cancelled');
  await driver.close();
});

test('verify warns of the queue', async () => {
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, error() {}, warn: (_: object, text: string) => warnings.push(text) };
  const rowlock = createRowlock({ driver: postgres({ connectionString: server.url }), log });
  await rowlock.insight.verify();
  expect(warnings).toEqual([expect.stringContaining('queue of notifications')]);
  await listener.query('COMMIT');
  await listener.query('UNLISTEN *');
  warnings.length = 0;
  await rowlock.insight.verify();
  expect(warnings).toEqual([]);
  await rowlock.close();
});
