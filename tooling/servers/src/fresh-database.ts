import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** How long sessions that are ending have for that before they are cut, in milliseconds. A busy machine may need seconds. */
const ENDING_MS = 10_000;

export interface FreshDatabase {
  readonly url: string;
  /** Drops the database, disconnecting whoever is still in it. */
  drop(): Promise<void>;
}

/** An empty database of a name of its own, so that tests running at the same time do not meet. */
export async function freshDatabase(serverUrl: string): Promise<FreshDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await withClient(serverUrl, (client) => create(client, name));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => withClient(serverUrl, (client) => drop(client, name)),
  };
}

/** A copy of files is a tenth of the work of a copy through the log, which is the default from Postgres 15 on. */
async function create(client: pg.Client, name: string): Promise<void> {
  const { rows } = await client.query("SELECT current_setting('server_version_num')::int AS version");
  await client.query(`CREATE DATABASE ${name} ${rows[0].version < 150_000 ? '' : 'STRATEGY file_copy'}`);
}

/**
 * A pool has ended a little before its sessions have. A session that is cut in that time is an error of a client to
 * which nobody listens any more, and would end the process.
 */
async function drop(client: pg.Client, name: string): Promise<void> {
  const until = performance.now() + ENDING_MS;
  const hasSessions = async (): Promise<boolean> => {
    const { rowCount } = await client.query(
      "SELECT FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'",
      [name],
    );
    return rowCount !== 0;
  };
  while ((await hasSessions()) && performance.now() < until) await sleep(10);
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
