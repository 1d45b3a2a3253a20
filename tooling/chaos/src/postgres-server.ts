import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase, startEmbeddedPostgres } from '@rowlock/servers';
import type { Server } from './system.js';

const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '120' };

export async function startPostgres(): Promise<Server> {
  const dataDir = join(tmpdir(), `rowlock-chaos-${randomBytes(8).toString('hex')}`);
  const server = await startEmbeddedPostgres({ dataDir, persistent: false, settings: SETTINGS });
  return {
    host: '127.0.0.1',
    port: server.port,
    fresh: () => freshDatabase(server.url),
    kill: server.kill,
    restart: server.restart,
    stop: server.stop,
  };
}
