import type { Fault } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../../query.js';
import type { Tables } from '../tables.js';

// Without the right, old servers refuse the call, and new ones return null as for a sequence that nobody has used.
const IDS = (table: string): string => `
  SELECT coalesce(max(id), 0) AS newest, may_read, (SELECT seqmax FROM pg_sequence WHERE seqrelid = sequence) AS most,
         (SELECT seqincrement = 1 AND seqcache = 1 AND NOT seqcycle FROM pg_sequence WHERE seqrelid = sequence) AS is_in_order,
         coalesce(CASE WHEN may_read THEN pg_sequence_last_value(sequence) END, 0) AS last
  FROM (SELECT sequence, has_sequence_privilege(sequence, 'SELECT, USAGE') AS may_read
        FROM (SELECT pg_get_serial_sequence($1, 'id')::regclass) AS own (sequence)) AS read LEFT JOIN ${table} ON true
  GROUP BY sequence, may_read`;

/** The highest id of a table. */
const HIGHEST = 2n ** 63n - 1n;

/** The last tenth of the ids. */
const NEAR_END = (2n ** 63n / 10n) * 9n;

/** Whether the ids to come are free, and are not used up. */
export async function sequences(on: PostgresTransaction, { job, bell }: Tables): Promise<readonly Fault[]> {
  const found = await Promise.all([job, bell].map((table) => ofTable(on, table)));
  return found.flat();
}

async function ofTable(on: PostgresTransaction, table: string): Promise<readonly Fault[]> {
  const [row] = await query<Ids & { [column: string]: unknown }>(on, IDS(table), [table]);
  if (row === undefined) return [];
  return [...order(table, row), ...ends(table, row)];
}

interface Ids {
  readonly newest: bigint;
  readonly may_read: boolean;
  readonly most: bigint;
  readonly last: bigint;
  /** Null where the column has no sequence. */
  readonly is_in_order: boolean | null;
}

function order(table: string, { is_in_order: isInOrder }: Ids): readonly Fault[] {
  if (isInOrder !== false) return [];
  return [
    {
      severity: 'warning',
      what: `The sequence of ${table} has another INCREMENT, a CACHE or CYCLE.`,
      why: 'Ids are not given in the order of the calls, so that jobs of a key overtake earlier ones.',
      remedy: `ALTER TABLE ${table} ALTER id SET INCREMENT 1 SET CACHE 1 SET NO CYCLE.`,
    },
  ];
}

function ends(table: string, row: Ids): readonly Fault[] {
  if (!row.may_read)
    return [
      {
        severity: 'skipped',
        what: `The ids of ${table} were not checked: this user may not read their sequence.`,
        why: 'A sequence that a restore has left behind makes enqueues fail.',
        remedy: 'Use the account that migrates, or grant this one SELECT on the sequences of the schema.',
      },
    ];
  if (row.newest > row.last)
    return [
      {
        severity: 'broken',
        what: `The next id of ${table} is ${row.last + 1n}, and there are rows up to ${row.newest}.`,
        why: 'Enqueues fail, or jobs overtake earlier ones: a restore or a switch to a replica left the sequence behind.',
        remedy: 'Run `rowlock migrate`: it sets the sequence.',
      },
    ];
  if (row.most < HIGHEST)
    return [
      {
        severity: row.last < row.most ? 'warning' : 'broken',
        what: `The ids of ${table} end at ${row.most}, and the last one is ${row.last}.`,
        why: 'When there is no id any more, each enqueue fails.',
        remedy: `ALTER TABLE ${table} ALTER id SET NO MAXVALUE.`,
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
