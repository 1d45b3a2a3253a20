import { freshMysqlDatabase, startEmbeddedMysql, temporaryDataDir } from '@rowlock/servers';
import type { Server } from './system.js';

/** Each commit is handed to the system, which writes it though the server be killed. */
const SETTINGS = {
  'innodb-flush-log-at-trx-commit': '2',
  'sync-binlog': '0',
  'max-connections': '180',
};

export async function startMysql(): Promise<Server> {
  const dataDir = temporaryDataDir('chaos');
  const server = await startEmbeddedMysql({ dataDir, persistent: false, settings: SETTINGS });
  return {
    host: '127.0.0.1',
    port: server.port,
    fresh: () => freshMysqlDatabase(server.url),
    kill: server.kill,
    restart: server.restart,
    stop: server.stop,
  };
}
