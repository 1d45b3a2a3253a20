import { fromDockerImage } from './docker-image.js';
import { startEmbeddedPostgres } from './embedded-postgres.js';
import { temporaryDataDir } from './temporary-data-dir.js';

export interface TestPostgres {
  /** Superuser's URL of the database `postgres`. */
  readonly url: string;
  readonly source: 'TEST_POSTGRES_URL' | 'docker' | 'embedded';
  stop(): Promise<void>;
}

export interface TestPostgresOptions {
  /** Write through to the disk, as in production. Off by default: tests lose nothing in a power cut. */
  readonly fsync?: boolean;
  /** Further settings of a server that is started, as in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * A Postgres for tests: the server at `TEST_POSTGRES_URL`, else one in Docker (image `TEST_POSTGRES_IMAGE`), else the
 * embedded one.
 */
export async function postgresForTests(options: TestPostgresOptions = {}): Promise<TestPostgres> {
  const given = process.env.TEST_POSTGRES_URL;
  if (given) return { url: given, source: 'TEST_POSTGRES_URL', stop: async () => {} };
  const settings = {
    max_connections: '300',
    ...(options.fsync ? {} : { fsync: 'off', full_page_writes: 'off' }),
    ...options.settings,
  };
  const container = await fromDockerImage('TEST_POSTGRES_IMAGE', 'postgres:18-alpine', (image) =>
    inDocker(image, settings),
  );
  return container ?? embedded(settings, options.fsync === true);
}

async function inDocker(image: string, settings: Record<string, string>): Promise<TestPostgres> {
  // Loaded here because it takes most of a second, and most machines without Docker never need it.
  const { GenericContainer, Wait } = await import('testcontainers');
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const container = await new GenericContainer(image)
    .withEnvironment({ POSTGRES_PASSWORD: 'test' })
    .withCommand(['postgres', ...flags])
    .withExposedPorts(5432)
    // Twice: the image starts the server once for itself, to initialise.
    .withWaitStrategy(Wait.forLogMessage('database system is ready to accept connections', 2))
    .start();
  return {
    url: `postgres://postgres:test@${container.getHost()}:${container.getMappedPort(5432)}/postgres`,
    source: 'docker',
    stop: async () => {
      await container.stop();
    },
  };
}

async function embedded(settings: Record<string, string>, onDisk: boolean): Promise<TestPostgres> {
  const dataDir = temporaryDataDir('test', { onDisk });
  const server = await startEmbeddedPostgres({ dataDir, persistent: false, settings, passwords: 'plain' });
  return { url: server.url, source: 'embedded', stop: server.stop };
}
