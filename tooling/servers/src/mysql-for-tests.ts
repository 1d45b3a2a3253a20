import { fromDockerImage } from './docker-image.js';
import { startMysqlServer } from './embedded-mysql.js';
import { onFreePort } from './free-port.js';
import { mysqlBinaries } from './mysql-binaries.js';
import { MARIADB, MYSQL, type MysqlProduct } from './mysql-product.js';
import { temporaryDataDir } from './temporary-data-dir.js';

export interface TestMysql {
  /** root's URL, which names no database. */
  readonly url: string;
  readonly source: 'TEST_MYSQL_URL' | 'TEST_MARIADB_URL' | 'docker' | 'installed' | 'debian';
  stop(): Promise<void>;
  /** Ends the server at once; what was committed stays. @throws Error on a server that was given by its URL */
  kill(): Promise<void>;
  /** Starts it again under the same URL. @throws Error on a server that was given by its URL */
  restart(): Promise<void>;
}

export interface TestMysqlOptions {
  /** Write through to the disk, with the cache that a server has by default. Off by default: tests lose nothing in a power cut. */
  readonly fsync?: boolean;
  /** Further settings of a server that is started, as on its command line: `{ 'sync-binlog': '0' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Never the server at the URL: for a test that changes settings, which all others would meet. Default false. */
  readonly own?: boolean;
}

/**
 * A MySQL for tests: the server at `TEST_MYSQL_URL`, else one in Docker (image `TEST_MYSQL_IMAGE`), else the installed
 * one, else one fetched from Debian.
 * @throws Error when there is none, saying what to do
 */
export function mysqlForTests(options: TestMysqlOptions = {}): Promise<TestMysql> {
  return forTests(MYSQL, options);
}

/** The same with MariaDB, `TEST_MARIADB_URL` and `TEST_MARIADB_IMAGE`. */
export function mariadbForTests(options: TestMysqlOptions = {}): Promise<TestMysql> {
  return forTests(MARIADB, options);
}

const SETTINGS = {
  'max-connections': '500',
  'performance-schema': 'ON',
};

const QUICK_SETTINGS = {
  // Each commit is handed to the system, which writes it though the server be killed; with 0 a kill would lose up to a second.
  'innodb-flush-log-at-trx-commit': '2',
  'sync-binlog': '0',
  'innodb-flush-method': 'nosync',
  // 20,000 orders of the order search do not fit into the 128 MiB of the default.
  'innodb-buffer-pool-size': '1G',
};

async function forTests(product: MysqlProduct, options: TestMysqlOptions): Promise<TestMysql> {
  const given = options.own ? undefined : process.env[product.urlVariable];
  if (given) return atUrl(product, given);
  const settings = { ...SETTINGS, ...(options.fsync ? {} : QUICK_SETTINGS), ...options.settings };
  const inDocker = await fromDockerImage(product.imageVariable, product.image, (image) =>
    startContainer(image, settings),
  );
  return inDocker ?? startHere(product, settings, options.fsync === true);
}

function atUrl({ urlVariable }: MysqlProduct, url: string): TestMysql {
  const notOurs = async () => {
    throw new Error(`The server at ${urlVariable} was not started here, so it is not ended here either.`);
  };
  return { url, source: urlVariable, stop: async () => {}, kill: notOurs, restart: notOurs };
}

async function startContainer(image: string, settings: Readonly<Record<string, string>>): Promise<TestMysql> {
  // Loaded here because it takes most of a second, and most machines without Docker never need it.
  const { GenericContainer } = await import('testcontainers');
  // A port of our own choice, because Docker chooses another one at each restart.
  const { server: container } = await onFreePort(undefined, 'already', (port) =>
    new GenericContainer(image)
      .withEnvironment({ MYSQL_ROOT_PASSWORD: 'test' })
      .withCommand(Object.entries(settings).map(([name, value]) => `--${name}=${value}`))
      .withExposedPorts({ container: 3306, host: port })
      .withStartupTimeout(120_000)
      .start(),
  );
  return {
    url: `mysql://root:test@${container.getHost()}:${container.getMappedPort(3306)}/`,
    source: 'docker',
    async stop() {
      await container.stop();
    },
    async kill() {
      await container.stop({ timeout: 0, remove: false });
    },
    restart: () => container.restart(),
  };
}

async function startHere(
  product: MysqlProduct,
  settings: Readonly<Record<string, string>>,
  onDisk: boolean,
): Promise<TestMysql> {
  const binaries = await mysqlBinaries(product);
  const dataDir = temporaryDataDir('test', { onDisk });
  const { url, stop, kill, restart } = await startMysqlServer(binaries, {
    dataDir,
    persistent: false,
    settings,
  });
  return { url, source: binaries.source, stop, kill, restart };
}
