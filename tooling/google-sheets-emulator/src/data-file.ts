import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DriveFile } from './drive-file.js';
import { isObject } from './json.js';
import type { Store } from './store.js';

const DEBOUNCE_MS = 200;
const FORMAT = 'google-sheets-emulator/1';

/** Keeps the store in one JSON file, so that it survives a restart. */
export interface DataFile {
  /** Writes what has changed since the last write. */
  flush(): Promise<void>;
}

/**
 * Loads the file into the store if it exists, and writes it again 200 ms after each change.
 * Each write goes to a neighbour first and is renamed, so that a crash leaves the old file or the new one.
 * @throws Error when the file exists and is not one of the emulator's
 */
export async function openDataFile(path: string, store: Store): Promise<DataFile> {
  await mkdir(dirname(path), { recursive: true });
  store.restore(await load(path));
  let timer: NodeJS.Timeout | undefined;
  let dirty = false;
  let writing: Promise<void> = Promise.resolve();

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(async () => {
      if (!dirty) return;
      dirty = false;
      await save(path, store.files());
    });
    return writing;
  };
  store.onChange(() => {
    dirty = true;
    timer ??= setTimeout(() => {
      flush().catch((error: unknown) => {
        // Memory is still right: say it, and try again with the next change.
        writing = Promise.resolve();
        dirty = true;
        process.emitWarning(`The data file ${path} could not be written: ${String(error)}`);
      });
    }, DEBOUNCE_MS);
  });
  return { flush };
}

async function save(path: string, files: readonly DriveFile[]): Promise<void> {
  const neighbour = `${path}.${process.pid}.tmp`;
  const handle = await open(neighbour, 'w', 0o600);
  try {
    await handle.writeFile(JSON.stringify({ format: FORMAT, files }));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(neighbour, path);
}

async function load(path: string): Promise<DriveFile[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isObject(error) && error.code === 'ENOENT') return [];
    throw error;
  }
  const foreign = (cause?: unknown) =>
    new Error(`${path} is not a data file of this emulator. Name another file, or remove it.`, { cause });
  try {
    const value: unknown = JSON.parse(text);
    if (isSaved(value)) return [...value.files];
  } catch (error) {
    throw foreign(error);
  }
  throw foreign();
}

/** The file is the emulator's own writing: its format line vouches for what is inside. */
function isSaved(value: unknown): value is { files: DriveFile[] } {
  return isObject(value) && value.format === FORMAT && Array.isArray(value.files);
}
