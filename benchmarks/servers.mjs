import {
  freshDatabase,
  freshMysqlDatabase,
  mysqlForTests,
  postgresForTests,
  startEmbeddedRedis,
} from '@rowlock/servers';
import { connect } from './connect.mjs';
import { cpuSecondsOfChildren } from './cpu-seconds.mjs';
import { durability } from './durability.mjs';

/** How each database is started, and how a round gets an empty one. Each writes its commits through to the disk, Redis apart. */
const SERVERS = {
  postgres: {
    start: (settings) => postgresForTests({ fsync: true, settings }),
    fresh: freshDatabase,
    analyze: 'ANALYZE',
  },
  mysql: { start: (settings) => mysqlForTests({ fsync: true, settings }), fresh: freshMysqlDatabase },
  redis: { start: startRedis, fresh: async (url) => ({ url, drop: async () => {} }) },
};

/** Something is not on this machine: what needs it is left out, and says so. */
export class Missing extends Error {
  name = 'Missing';
}

/** The servers of one measure, each started when it is first needed. */
export class Servers {
  #settings;
  #started = new Map();
  #ours = new Set();
  /** What each says of itself, by database. */
  facts = {};

  /** @param settings Settings of the servers, by database */
  constructor(settings = {}) {
    this.#settings = settings;
  }

  /** An empty database. @throws Missing */
  async fresh(database) {
    const { url } = await this.start(database);
    return SERVERS[database].fresh(url);
  }

  /** @throws Missing */
  start(database) {
    if (!this.#started.has(database)) this.#started.set(database, this.#start(database));
    return this.#started.get(database);
  }

  /** What a server does by itself after a while: it looks how much there is in its tables. */
  async analyze(database, url) {
    const { analyze } = SERVERS[database];
    if (analyze === undefined) return;
    const plain = await connect(database, url);
    await plain.ask(analyze);
    await plain.end();
  }

  /**
   * How many seconds of a core the servers have used so far.
   *
   * @param except The ids of the programs that are no servers
   * @returns not a number where the system does not tell, or where this server was not started for this
   */
  async cpuSeconds(database, except) {
    await this.start(database);
    return this.#ours.has(database) ? cpuSecondsOfChildren(except) : Number.NaN;
  }

  async #start(database) {
    try {
      const server = await SERVERS[database].start(this.#settings[database]);
      const isOurs = !server.source?.startsWith('TEST_') && server.source !== 'docker';
      if (isOurs) this.#ours.add(database);
      this.facts[database] = await durability(database, server.url, isOurs);
      return server;
    } catch (error) {
      throw error instanceof Missing ? error : new Missing(`${database} did not start: ${error.message}`);
    }
  }

  async stop() {
    const started = await Promise.allSettled(this.#started.values());
    await Promise.all(started.map(({ value }) => value?.stop()));
  }
}

async function startRedis() {
  const server = await startEmbeddedRedis();
  if (server === null) throw new Missing('no redis-server on the PATH');
  return server;
}
