import type { Fault } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../query.js';
import type { Tables } from '../statements/tables.js';

const IDS = (table: string): string => `
  SELECT coalesce(max(id), 0) AS newest, coalesce(pg_sequence_last_value(pg_get_serial_sequence($1, 'id')::regclass), 0) AS last FROM ${table}`;

/** The last tenth of the ids. */
const NEAR_END = (2n ** 63n / 10n) * 9n;

/** Whether the ids to come are free, and are not used up. */
export async function sequences(on: PostgresTransaction, { job, bell }: Tables): Promise<readonly Fault[]> {
  const found = await Promise.all([job, bell].map((table) => ofTable(on, table)));
  return found.flat();
}

async function ofTable(on: PostgresTransaction, table: string): Promise<readonly Fault[]> {
  const [row] = await query<{ newest: bigint; last: bigint }>(on, IDS(table), [table]);
  if (row === undefined) return [];
  if (row.newest > row.last)
    return [
      {
        severity: 'broken',
        what: `The next id of ${table} is ${row.last + 1n}, and there are rows up to ${row.newest}.`,
        why: 'Enqueues fail, or jobs overtake earlier ones: a restore or a switch to a replica left the sequence behind.',
        remedy: 'Run `rowlock migrate`: it sets the sequence.',
      },
    ];
  if (row.last < NEAR_END) return [];
  return [
    {
      severity: 'warning',
      what: `The ids of ${table} are nearly used up: the last one is ${row.last}.`,
      why: 'When there is no id any more, each enqueue fails.',
      remedy: 'Something has set the sequence: set it back beyond the newest row, by setval().',
    },
  ];
}
