import { readFileSync } from 'node:fs';

/** The version of this package, which all packages of Rowlock share. */
export function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return version;
}
