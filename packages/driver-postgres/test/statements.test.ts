import { append, increment, merge, remove, set } from '@rowlock/core';
import { expect, test } from 'vitest';
import { NamedStatements } from '../src/connection/named-statements.js';
import { newJobs } from '../src/jobs/given.js';
import { type Selection, WAYS } from '../src/jobs/statements/selection.js';
import { updatedJson } from '../src/jobs/statements/update-json.js';
import { statements } from '../src/statements.js';
import { textsOf } from './texts-of.js';

const sql = statements('rowlock');

test('the statements and the names they are prepared under are those on file', async () => {
  const names = new NamedStatements(sql, true);
  const sections = [...new Map([...textsOf(sql), ...Object.entries(spelled())])].map(([verb, text]) => {
    if (typeof text !== 'string') throw new Error(`It is not said here what ${verb} is to be spelled for.`);
    const name = names.nameOf(text, 1);
    return `-- ${verb}${name === undefined ? '' : `, prepared as ${name}`}\n${text}\n`;
  });
  await expect(sections.sort().join('\n')).toMatchFileSnapshot('golden/statements.txt');
});

const OPERATIONS = [
  increment('counters.done'),
  append([], ['x']),
  merge('a', { b: 1, c: null, d: { e: 1 } }),
  set(['list', 0], 1),
  remove(['list', 0]),
];

const PAGE: Selection = {
  ways: [{ by: WAYS.all, isInOrder: true }],
  direction: 'DESC',
  also: '<conditions>',
  running: null,
  limit: '<limit>',
};

const PAGE_OF_KEY: Selection = {
  ...PAGE,
  ways: [
    { by: `${WAYS.kept} AND <key>`, isInOrder: true },
    { by: `${WAYS.outstanding} AND <key>`, isInOrder: false },
  ],
};

/** The texts that depend on something, each way. */
function spelled() {
  const latest = { boundsTransactions: true, looksForClients: true, connections: 100 };
  const least = { boundsTransactions: false, looksForClients: false, connections: 100 };
  const [one, many] = [given(1), given(2)];
  return {
    'claims.bounds': sql.claims.bounds('SESSION', 60_000, latest),
    'bounds of a transaction, on an old server': sql.claims.bounds('LOCAL', 60_000, least),
    'workers.lockWorker': sql.workers.lockWorker('FOR UPDATE SKIP LOCKED'),
    'schema.lockMigration': sql.schema.lockMigration('FOR UPDATE SKIP LOCKED'),
    'enqueues.enqueue': sql.enqueues.enqueue({ given: one, unique: false, wakes: false }),
    'enqueue with a unique key': sql.enqueues.enqueue({ given: one, unique: true, wakes: false }),
    'enqueue that wakes': sql.enqueues.enqueue({ given: one, unique: false, wakes: true }),
    'enqueue with a unique key that wakes': sql.enqueues.enqueue({ given: one, unique: true, wakes: true }),
    'enqueue of many': sql.enqueues.enqueue({ given: many, unique: false, wakes: false }),
    'jobs.update': sql.jobs.update('<assignment>', false),
    'update that waits': sql.jobs.update('<assignment>', true),
    'selection.list': sql.selection.list(PAGE),
    'list of a key and some states': sql.selection.list(PAGE_OF_KEY),
    'list of what runs': sql.selection.list({
      ...PAGE,
      ways: [{ by: sql.selection.running, isInOrder: true }],
      running: '<condition>',
    }),
    'selection.listEntries': sql.selection.listEntries(PAGE),
    'selection.count': sql.selection.count(PAGE),
    'selection.lookEnd': sql.selection.lookEnd(PAGE_OF_KEY),
    'selection.countOutstanding': sql.selection.countOutstanding('<condition>'),
    ...Object.fromEntries(
      OPERATIONS.map((each) => [`updated by ${each.do}`, updatedJson('job.metadata', '$3', [each]).text]),
    ),
    'updated twice': updatedJson('job.metadata', '$3', OPERATIONS.slice(0, 2), 100).text,
  };
}

function given(count: number): string {
  const job = {
    queue: 'q',
    kind: 'work',
    key: null,
    payload: null,
    priority: 0,
    available: { inMs: 0 },
    maxAttempts: 1,
    unique: null,
    metadata: {},
    limits: '',
    createdBy: 'test',
  };
  const rows = newJobs(Array.from({ length: count }, (_, place) => ({ job, publicId: String(place) })));
  return rows.map(({ text }) => text).join();
}
