import { createRequire } from 'node:module';
import { DriverError } from '@rowlock/core';

/**
 * Checks the version of the database client that the application has installed beside its driver.
 *
 * @param client Its name, and the oldest version that is tested, as `peerDependencies` says.
 * @param from The driver's module.
 * @returns warnings, a few sentences each. None where the version cannot be found, as in a bundle.
 * @throws DriverError for a version that is too old
 */
export function checkClientVersion(
  { name, oldest }: { readonly name: string; readonly oldest: readonly [major: number, minor: number] },
  from: string,
): readonly string[] {
  const version = versionOf(name, from);
  const [major = 0, minor = 0] = version?.split('.').map(Number) ?? oldest;
  const range = `^${oldest.join('.')}.0`;
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1]))
    throw new DriverError(
      'EngineUnsuitable',
      `Rowlock needs ${name} ${oldest.join('.')} or later, and has loaded ${version}: npm install '${name}@${range}'.`,
    );
  if (major === oldest[0]) return [];
  return [`Rowlock is not tested with ${name} ${version}: install one of ${range}, or a later Rowlock.`];
}

function versionOf(name: string, from: string): string | undefined {
  try {
    return createRequire(from)(`${name}/package.json`).version;
  } catch {
    return undefined;
  }
}
