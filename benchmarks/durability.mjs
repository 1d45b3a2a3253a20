import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { connect } from './connect.mjs';

/** What decides whether a commit is on the disk when it is answered, and what it says where it is. */
const SETTINGS = {
  postgres: { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' },
  mysql: { innodb_flush_log_at_trx_commit: '1', sync_binlog: '1', innodb_doublewrite: 'ON' },
};
const ASK = {
  postgres: 'SELECT name, setting AS value FROM pg_settings WHERE name = ANY($1)',
  mysql:
    'SELECT variable_name AS name, variable_value AS value FROM performance_schema.global_variables WHERE variable_name IN (?)',
};
const VERSION = {
  postgres: "SELECT current_setting('server_version') AS version",
  mysql: 'SELECT VERSION() AS version',
};
/** As statfs tells it: see statfs(2). */
const TMPFS = 0x01021994;

/**
 * What a server says of itself: a figure from one that flushes nothing says nothing of production.
 *
 * @param isOurs Whether it was started for this: then its data are in the folder for temporary files
 * @returns its version and settings, and why its commits are not on a disk, if they are not
 */
export async function durability(database, url, isOurs) {
  const wanted = SETTINGS[database];
  if (wanted === undefined) return { version: null, settings: {}, problem: 'keeps nothing on disk' };
  const plain = await connect(database, url);
  try {
    const [{ version }] = await plain.ask(VERSION[database]);
    const rows = await plain.ask(ASK[database], [Object.keys(wanted)]);
    const settings = Object.fromEntries(rows.map(({ name, value }) => [name, value]));
    const off = Object.keys(wanted).filter((name) => settings[name] !== wanted[name]);
    const inMemory = isOurs && (await statfs(tmpdir())).type === TMPFS;
    const problems = [
      ...off.map((name) => `${name} is ${settings[name]}`),
      ...(inMemory ? [`${tmpdir()} is in memory: set TMPDIR to a folder on a disk`] : []),
    ];
    return { version, settings, problem: problems.length === 0 ? null : problems.join(', ') };
  } finally {
    await plain.end();
  }
}

/** A line for whoever reads the tables. */
export function durabilityLine(database, { version, problem }) {
  const name = version === null ? database : `${database} ${version}`;
  return problem === null
    ? `${name}: commits are flushed to the disk`
    : `${name}: commits are NOT flushed to a disk (${problem})`;
}
