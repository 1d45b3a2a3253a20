import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Missing } from './servers.mjs';

const FOLDER = fileURLToPath(new URL('peers/', import.meta.url));
const LOCKFILE = `${FOLDER}package-lock.json`;
/** The lockfile that was installed last. */
const INSTALLED = `${FOLDER}node_modules/installed-lock.json`;

/** Installs what Rowlock is measured against into a folder of its own, with npm. @throws Missing */
export async function installPeers() {
  const wanted = readFileSync(LOCKFILE, 'utf8');
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === wanted) return;
  console.error('Installing the peers with npm (half a minute the first time) …');
  // Not `npm ci`, which refuses a lockfile that lacks the optional parts of other platforms.
  const flags = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = spawn('npm', flags, {
    cwd: FOLDER,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  const [code] = await once(npm, 'close').catch(() => [1]);
  if (code !== 0)
    throw new Missing('the peers could not be installed with npm; is the package registry reached?');
  writeFileSync(INSTALLED, wanted);
}
