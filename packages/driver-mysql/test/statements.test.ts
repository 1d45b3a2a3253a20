import { append, increment, merge, remove, set } from '@rowlock/core';
import { expect, test } from 'vitest';
import { ENDINGS, KEYS, NEW_JOBS, recordsOf, startsOf } from '../src/jobs/given-rows.js';
import { stepsOf } from '../src/jobs/json-steps.js';
import { assignmentsOf } from '../src/jobs/statements/update-json.js';
import { raw } from '../src/values/fragment.js';
import { spelled } from './spelled.js';

test('the statements are those on file', async () => {
  const sections = spelled('rowlock').map(({ verb, text }) => section(verb, text));
  await expect(sections.sort().join('\n')).toMatchFileSnapshot('golden/statements.txt');
});

test('the tables of what statements are given are those on file', async () => {
  const job = (public_id: string) => ({
    public_id,
    queue: 'q',
    kind: 'work',
    job_key: null,
    payload: 'null',
    priority: 0,
    available_at: null,
    delay: 0,
    max_attempts: 1,
    unique_key: null,
    unique_scope: null,
    metadata: '{}',
    limits: '',
    created_by: 'test',
  });
  const start = (...ids: bigint[]) => {
    const jobs = ids.map((id) => ({ id, createdAt: new Date(Number(id)) }));
    return startsOf([{ runId: 'run', workerId: '1', jobs }]);
  };
  const ending = (id: string) => ({
    id,
    process_id: 'run',
    event: 'complete',
    status: 'complete',
    attempt: 1,
    crashes: 0,
    delay: 0,
    took: 0,
    output: null,
    error: null,
    settled_by: 'test',
  });
  const tables = {
    'a job': NEW_JOBS.rows([job('a')]),
    jobs: NEW_JOBS.rows([job('a'), job('b')]),
    'a key': KEYS.rows([{ entity: 'a' }]),
    keys: KEYS.rows([{ entity: 'a' }, { entity: 'b' }]),
    'a start': start(1n),
    starts: start(1n, 2n),
    'a record': recordsOf({ runId: 'run', jobs: [1n] }),
    records: recordsOf({ runId: 'run', jobs: [1n, 2n] }),
    'an ending': ENDINGS.rows([ending('1')]),
    endings: ENDINGS.rows([ending('1'), ending('2')]),
  };
  const sections = Object.entries(tables).map(([what, { text }]) => section(what, text));
  await expect(sections.join('\n')).toMatchFileSnapshot('golden/given.txt');
});

test('the assignments of operations are those on file', async () => {
  const operations = [
    increment('counters.done'),
    increment('cost', 0.5),
    append([], ['x']),
    merge('a', { b: 1, c: null, d: { e: 1 } }),
    set(['list', 0], 1),
    remove(['list', 0]),
  ];
  const sections = operations.map((each) => {
    const { text, values } = assignmentsOf(raw('metadata'), stepsOf([each], 100));
    return section(
      each.do,
      `${text.replaceAll(', metadata =', ',\nmetadata =')}\n-- ${JSON.stringify(values)}`,
    );
  });
  await expect(sections.join('\n')).toMatchFileSnapshot('golden/assignments.txt');
});

function section(what: string, text: string): string {
  return `-- ${what}\n${text}\n`;
}
