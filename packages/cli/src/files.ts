import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure } from './failure.js';

/** Makes a folder, and those above it. Node's own way to do so never ends where the system makes none, as in /proc. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = Object(error);
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return;
    const above = dirname(folder);
    if (code !== 'ENOENT' || existsSync(above)) throw error;
    await makeFolder(above);
    await makeFolder(folder);
  }
}

/** The sentence for a file that the system does not let be written. Other errors pass. */
export function notWritten(error: unknown): unknown {
  const { code, path, message } = Object(error);
  return path === undefined ? error : new Failure(`${path} cannot be written (${code}): ${message}`);
}
