import { freshMysqlDatabase } from '@rowlock/servers';
import { type Connection, createConnection } from 'mysql2/promise';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type MysqlOptions, mysql } from '../src/index.js';
import { serverUrl } from './server.js';

const WORKER = { name: 'here', host: 'h', pid: 1, queues: ['q'] };

let url: string;
let client: Connection;

beforeEach(async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  onTestFinished(() => fresh.drop());
  url = fresh.url;
  client = await createConnection(url);
  onTestFinished(() => client.end());
  await open().schema.migrate();
});

function open(options: MysqlOptions = {}) {
  const driver = mysql({ uri: url, ...options });
  onTestFinished(() => driver.close());
  return driver;
}

/** A worker's row as another server's replication brings it. */
async function writeFromElsewhere(change = 'written_at = UTC_TIMESTAMP(6)'): Promise<void> {
  await client.query(
    "INSERT IGNORE INTO rowlock_worker (id, name, host, pid, queues, server) VALUES (1, 'there', 'far', 1, '[]', 'elsewhere')",
  );
  await client.query(`UPDATE rowlock_worker SET ${change} WHERE id = 1`);
}

/** Writes from elsewhere until the work is over. */
async function besideAnother<Result>(work: Promise<Result>): Promise<Result> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  work.then(end, end);
  while (!isOver) await writeFromElsewhere();
  return work;
}

async function rows(condition: string): Promise<unknown> {
  const [found] = await client.query(`SELECT name FROM rowlock_worker WHERE ${condition}`);
  return found;
}

test.each(['own', 'shared'] as const)(
  'in %s sessions no worker starts while another one writes through another server',
  async (sessions) => {
    await writeFromElsewhere();
    const starting = open({ sessions }).workers.anchor(WORKER);
    await expect(besideAnother(starting)).rejects.toMatchObject({
      code: 'EngineUnsuitable',
      message: expect.stringMatching(
        /'there' on far through the server 'elsewhere'.*severalWriters: 'allow'/,
      ),
    });
    expect(await rows("name = 'here' AND stopped_at IS NULL")).toEqual([]);
  },
);

test('a program that only looks is warned of a worker that writes through another server', async () => {
  await writeFromElsewhere();
  const { warnings } = await open().schema.verify();
  expect(warnings).toContainEqual(
    expect.stringMatching(/'there' on far writes through the server 'elsewhere'/),
  );
  expect((await open({ severalWriters: 'allow' }).schema.verify()).warnings).toEqual([]);
  await writeFromElsewhere('written_at = UTC_TIMESTAMP(6) - INTERVAL 20 SECOND');
  expect((await open().schema.verify()).warnings).toEqual([]);
});

test('a worker that takes the risk starts beside it', async () => {
  await writeFromElsewhere();
  const anchor = await besideAnother(open({ severalWriters: 'allow' }).workers.anchor(WORKER));
  await anchor.release();
});

test.each([
  ['was stopped', 'written_at = UTC_TIMESTAMP(6), stopped_at = UTC_TIMESTAMP(6)'],
  ['has not written for a minute', 'written_at = UTC_TIMESTAMP(6) - INTERVAL 61 SECOND'],
  ['writes no more after a fail-over', 'written_at = UTC_TIMESTAMP(6)'],
])('a worker starts after one on another server that %s', async (_, change) => {
  await writeFromElsewhere(change);
  const anchor = await open().workers.anchor(WORKER);
  await anchor.release();
});

test('a worker starts beside one that comes over from another server meanwhile', async () => {
  await writeFromElsewhere();
  const starting = open().workers.anchor(WORKER);
  await expect.poll(() => rows("name = 'here'"), { timeout: 30_000 }).toHaveLength(1);
  const [own] = await client.query<never>("SELECT server FROM rowlock_worker WHERE name = 'here'");
  const [{ server = '' } = {}] = own as readonly { server: string }[];
  await writeFromElsewhere(`server = ${client.escape(server)}, written_at = UTC_TIMESTAMP(6)`);
  await (await besideAnother(starting)).release();
});

test.each(['own', 'shared'] as const)(
  'a worker in %s sessions goes on writing its server',
  async (sessions) => {
    const anchor = await open({ sessions }).workers.anchor(WORKER);
    await client.query("UPDATE rowlock_worker SET server = '', written_at = NULL");
    await expect
      .poll(() => rows('server LIKE CONCAT(@@hostname, _utf8mb4"%") AND written_at IS NOT NULL'), {
        timeout: 60_000,
      })
      .toHaveLength(1);
    await anchor.release();
  },
);
