import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { mariadbForTests, mysqlForTests } from './mysql-for-tests.js';
import { postgresForTests } from './postgres-for-tests.js';
import './vitest.js';

/**
 * Starts the servers of the run, one of each: Postgres if a selected project depends on this package, MySQL if it depends
 * on `mysql2` or on the driver as well and is not for MariaDB alone, and then MariaDB if `TEST_MARIADB=1`.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const projects = project.vitest.projects
    .map(({ config }) => ({ names: dependencies(config.root), product: config.provide.mysqlProduct }))
    .filter(({ names }) => names.has('@rowlock/servers'));
  const eitherMysql = projects.filter(
    ({ names }) => names.has('mysql2') || names.has('@rowlock/driver-mysql'),
  );
  const mysql = eitherMysql.some(({ product }) => product !== 'mariadb');
  const mariadb = eitherMysql.length > 0 && process.env.TEST_MARIADB === '1';

  const starts = await Promise.allSettled([
    projects.length > 0 ? postgresForTests() : undefined,
    mysql ? mysqlForTests() : undefined,
    mariadb ? mariadbForTests() : undefined,
  ]);
  const started = starts.map((start) => (start.status === 'fulfilled' ? start.value : undefined));
  const stop = async () => {
    await Promise.all(started.map((server) => server?.stop()));
  };
  const failed = starts.find((start) => start.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const [postgres, ...others] = started;
  if (postgres) project.provide('postgresUrl', postgres.url);
  if (others[0]) project.provide('mysqlUrl', others[0].url);
  if (others[1]) project.provide('mariadbUrl', others[1].url);
  return stop;
}

/** The names of what a project's package depends on, and its own. */
function dependencies(root: string): Set<string> {
  const file = join(root, 'package.json');
  if (!existsSync(file)) return new Set();
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const { dependencies, devDependencies, peerDependencies } = manifest;
  return new Set([
    manifest.name,
    ...Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }),
  ]);
}
