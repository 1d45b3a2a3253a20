import { randomBytes } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';

/** What the databases of all tests take at their most, with as much again for whoever else is there. */
const ROOM = 6 * 2 ** 30;

/**
 * A name for the data folder of a server that lives as long as its test, such as `/dev/shm/rowlock-standby-1f0c`.
 *
 * It is in memory where Linux has room for that, because to make and drop databases on a disk takes the processor three
 * times as long. Whoever sets `TMPDIR` has it there.
 */
export function temporaryDataDir(name: string, { onDisk = false } = {}): string {
  const folder = onDisk || process.env.TMPDIR || !hasRoom() ? tmpdir() : IN_MEMORY;
  return join(folder, `rowlock-${name}-${randomBytes(8).toString('hex')}`);
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return Math.min(bavail * bsize, process.availableMemory()) > ROOM;
  } catch {
    return false;
  }
}
