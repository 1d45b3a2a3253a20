import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheFolder } from '@rowlock/servers';

const ARCHIVES = fileURLToPath(new URL('../frozen/', import.meta.url));

/**
 * Installs the packages of the last frozen version from their archives, as npm does for a user, once for each version.
 *
 * @returns The path of one of its programs.
 * @throws Error
 */
export function installFrozen(): Promise<(program: string) => string> {
  installed ??= installOnce();
  return installed;
}

let installed: Promise<(program: string) => string> | null = null;

async function installOnce(): Promise<(program: string) => string> {
  const archives = readdirSync(ARCHIVES)
    .filter((name) => name.endsWith('.tgz'))
    .sort()
    .map((name) => join(ARCHIVES, name));
  const hash = createHash('sha256');
  for (const archive of archives) hash.update(readFileSync(archive));
  const folder = join(cacheFolder(), 'frozen', hash.digest('hex').slice(0, 16));
  if (!existsSync(folder)) await install(archives, folder);
  return (program) => join(folder, 'node_modules/@rowlock/chaos/dist', program);
}

/** Elsewhere first: another process may do the same, and this one may be killed. */
async function install(archives: readonly string[], folder: string): Promise<void> {
  const draft = `${folder}.${randomBytes(4).toString('hex')}`;
  mkdirSync(draft, { recursive: true });
  writeFileSync(join(draft, 'package.json'), '{ "name": "frozen", "private": true, "type": "module" }\n');
  const args = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline', ...archives];
  await promisify(execFile)('npm', args, { cwd: draft, shell: process.platform === 'win32' });
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}
