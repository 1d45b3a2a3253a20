import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export const HOME = 'https://github.com/rowlock/rowlock';

export function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

export function exists(path: string): boolean {
  return existsSync(join(ROOT, path));
}

export function isFolder(path: string): boolean {
  return statSync(join(ROOT, path)).isDirectory();
}

/** Where a file or a folder of the repository is read on GitHub. */
export function addressOf(path: string): string {
  return `${HOME}/${isFolder(path) ? 'tree' : 'blob'}/main/${path}`;
}
