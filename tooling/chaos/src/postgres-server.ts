import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EmbeddedPostgres,
  freshDatabase,
  startEmbeddedPostgres,
  temporaryDataDir,
} from '@rowlock/servers';
import pg from 'pg';
import type { Server } from './system.js';

const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '180',
  // What a standby needs that was copied a moment ago.
  wal_keep_size: '512MB',
};

export async function startPostgres(): Promise<Server> {
  let primary = await startEmbeddedPostgres({ dataDir: folder(), persistent: false, settings: SETTINGS });
  return {
    host: '127.0.0.1',
    get port() {
      return primary.port;
    },
    async fresh() {
      const { url, drop } = await freshDatabase(primary.url);
      // After a fail-over the server that it was made on is gone.
      return { url, drop: () => drop().catch(() => {}) };
    },
    kill: () => primary.kill(),
    restart: () => primary.restart(),
    stop: () => primary.stop(),
    async standBy() {
      const standby = await startStandby(primary);
      return async () => {
        await primary.kill();
        await asking(standby.url, (client) => client.query('SELECT pg_promote()'));
        const gone = primary;
        primary = standby;
        await gone.stop();
      };
    },
  };
}

function folder(): string {
  return temporaryDataDir('chaos');
}

/** A standby that every commit waits for from now on. */
async function startStandby(primary: EmbeddedPostgres): Promise<EmbeddedPostgres> {
  const dataDir = folder();
  await asking(primary.url, (client) => copyCluster(client, primary.dataDir, dataDir));
  const { port, password } = new URL(primary.url);
  const settings = {
    ...SETTINGS,
    primary_conninfo: `host=127.0.0.1 port=${port} user=postgres password=${password}`,
  };
  const standby = await startEmbeddedPostgres({ dataDir, persistent: false, settings });
  await asking(primary.url, async (client) => {
    await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await client.query('SELECT pg_reload_conf()');
    for (;;) {
      const { rows } = await client.query("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'");
      if (rows.length > 0) return;
      await sleep(20);
    }
  });
  return standby;
}

/** The server's own way to copy a cluster that runs, which needs none of its tools. */
async function copyCluster(client: pg.Client, from: string, to: string): Promise<void> {
  await client.query("SELECT pg_backup_start('chaos', true)");
  // As it is, with its owners. A file may vanish while it is copied, which the log makes good.
  const copying = spawn('cp', ['-a', from, to], { stdio: 'ignore' });
  await once(copying, 'exit');
  const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
  for (const name of ['postmaster.pid', 'postmaster.opts', 'pg_wal', 'postgresql.auto.conf'])
    rmSync(join(to, name), { recursive: true, force: true });
  const { uid, gid } = statSync(to);
  mkdirSync(join(to, 'pg_wal'), { mode: 0o700 });
  writeFileSync(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  for (const name of ['standby.signal', 'postgresql.auto.conf']) writeFileSync(join(to, name), '');
  for (const name of ['pg_wal', 'backup_label', 'standby.signal', 'postgresql.auto.conf'])
    chownSync(join(to, name), uid, gid);
  if (!readdirSync(to).includes('PG_VERSION')) throw new Error(`${from} could not be copied.`);
}

async function asking<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
