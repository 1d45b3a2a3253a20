import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../files.js';
import type { PlannedFile } from './plan.js';

/** The paths of files, by what became of them. */
export interface Written {
  readonly written: readonly string[];
  /** They were there, and are as they were. */
  readonly kept: readonly string[];
}

interface WriteOptions {
  /** Files that are there are replaced. */
  readonly force: boolean;
  /** Nothing is written. */
  readonly dryRun: boolean;
}

/** Writes files that are not there. */
export async function writeFiles(
  folder: string,
  files: readonly PlannedFile[],
  { force, dryRun }: WriteOptions,
): Promise<Written> {
  const kept = files.filter(({ path }) => !force && existsSync(join(folder, path)));
  const written = files.filter((file) => !kept.includes(file));
  for (const { path, text } of dryRun ? [] : written) {
    const file = join(folder, path);
    await makeFolder(dirname(file));
    await writeFile(file, text, { flag: force ? 'w' : 'wx' });
  }
  return { written: written.map(({ path }) => path), kept: kept.map(({ path }) => path) };
}
