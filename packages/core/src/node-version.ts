import { RowlockError } from './errors.js';

/** As `engines` of the packages says. */
const OLDEST = [22, 12] as const;

/** @throws RowlockError `ROWLOCK_NODE_TOO_OLD`. An older Node would run jobs, and fail in the middle of a stop. */
export function checkNodeVersion(version = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw new RowlockError(
    'ROWLOCK_NODE_TOO_OLD',
    `Rowlock needs Node ${OLDEST.join('.')} or later, and this process is Node ${version}.`,
  );
}
