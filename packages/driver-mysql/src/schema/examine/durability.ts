import type { Fault } from '@rowlock/core/driver';
import { type MysqlTransaction, query } from '../../query.js';

/** A session cannot have values of its own of these. */
const NAMES = ['innodb_flush_log_at_trx_commit', 'sync_binlog', 'innodb_doublewrite', 'log_bin'] as const;

const VARIABLES = `SHOW GLOBAL VARIABLES WHERE Variable_name IN (${NAMES.map((name) => `'${name}'`).join(', ')})`;

type Values = Readonly<Partial<Record<string, string>>>;

/** What each of them gives up with these values, or undefined. */
const LOSES: Readonly<Record<string, (value: string, all: Values) => string | undefined>> = {
  innodb_flush_log_at_trx_commit: (value) =>
    ({
      0: 'A crash of the server loses what was committed within the last second: jobs, and that jobs have run.',
      2: 'A power cut loses what was committed within the last second: jobs, and that jobs have run.',
    })[value],
  // Without a binary log nothing follows from it.
  sync_binlog: (value, { log_bin: log }) =>
    value === '1' || log !== 'ON'
      ? undefined
      : 'A power cut loses what was committed last: commits that are not in the binary log are undone, and replicas may have others.',
  innodb_doublewrite: (value) =>
    value === 'OFF' || value === 'DETECT_ONLY'
      ? 'A power cut in the middle of a write may leave a page that cannot be read.'
      : undefined,
};

const RIGHT: Readonly<Record<string, string>> = { innodb_doublewrite: 'ON' };

/** Looks for what gives up that a committed job is kept. */
export async function durability(on: MysqlTransaction): Promise<readonly Fault[]> {
  const rows = await query<{ Variable_name: string; Value: string }>(on, VARIABLES);
  const values: Values = Object.fromEntries(rows.map((row) => [row.Variable_name, row.Value]));
  return Object.entries(LOSES).flatMap(([name, loses]): readonly Fault[] => {
    const value = values[name];
    const why = value === undefined ? undefined : loses(value, values);
    if (why === undefined) return [];
    const what = `The server has ${name} = ${value}.`;
    const right = `${name} = ${RIGHT[name] ?? '1'}`;
    const remedy = `Set ${right} in the server's configuration, unless the storage itself keeps what is written, as that of some clouds does.`;
    return [{ severity: 'warning', what, why, remedy }];
  });
}
