import { expect, test } from 'vitest';
import { conformanceTests } from '../src/index.js';
import { theme } from '../src/theme.js';

const THEMES = [
  'migrate',
  'enqueue',
  'unique keys',
  'replacing enqueues',
  'replacing enqueues, leased',
  'joined enqueue',
  "callers' transactions",
  'round trip',
  'claim',
  'siblings',
  'dependencies',
  'followers',
  'expiry',
  'expiry, leased',
  'settle',
  'claim session',
  'limits',
  'pauses',
  'rates',
  'handler transaction',
  'lost connection',
  'lifecycle',
  'runs',
  'open runs',
  'ids that come again',
  'receipts',
  'leases',
  'due queues',
  'survey',
  'schedules',
  'captures',
  'retention',
  'small tables',
  'list, count and move',
  'filters',
  'reported runs',
  'job runs',
  'job runs, leased',
  'begun runs',
  'begun runs, leased',
  'atomic updates',
  'atomic updates, leased',
  'changes',
  'changes, leased',
  'many jobs',
  'audit',
  'bursts',
  'large bursts',
  'wake-ups',
  'errors',
  'article',
  'exclusion',
  'exclusion, leased',
  'grouping',
  'grouping, leased',
  'order',
  'order, leased',
  'batches',
  'crashed batches',
  'batch sizes',
  'liveness',
  'liveness, leased',
  'idle worker',
  'idle worker, leased',
  'until idle',
  'until idle, leased',
  'connections',
  'connections, leased',
  'lost claim',
  'leased runs',
  'limited runs',
  'limited runs, leased',
  'paused runs',
  'paused runs, leased',
  'rated runs',
  'rated runs, leased',
  'explanations',
  'explanations, leased',
  'limits in use',
  'limits in use, leased',
  'looks',
  'pictures',
  'pictures, leased',
  'tallies',
  'statistics',
  'statistics, leased',
  'trend',
  'waiting callers',
  'waiting callers, leased',
  'heartbeats',
  'silence',
  'refused rows',
  'refused settlements',
  'outcomes',
  'outcomes, leased',
  'failures',
  'failures, leased',
  'codecs',
  'two versions',
  'two versions, leased',
  'running job',
  'cancel',
  'scheduled jobs',
  'bounds',
  'handlers',
  'handlers, leased',
  'contexts',
  'realms',
  'open calls',
  'open calls, leased',
  'plugins',
  'plugins, leased',
  'shutdown',
];

test('the list of tests is there without a database, by themes', () => {
  const names = conformanceTests();
  expect([...new Set(names.map((name) => name.split(' > ')[0]))]).toEqual(THEMES);
});

test('the names of all tests are those on file', async () => {
  const names = [...conformanceTests()].sort();
  await expect(`${names.join('\n')}\n`).toMatchFileSnapshot('golden/conformance-tests.txt');
});

test('no two tests have one name', () => {
  const names = conformanceTests();
  expect(new Set(names).size).toBe(names.length);
  expect(() =>
    theme('twice', (write) => {
      write('a test', async () => {});
      write('a test', async () => {});
    }),
  ).toThrow(/Two tests/);
});

test('every event meets every state', () => {
  const lifecycle = conformanceTests().filter((name) => / of a job that is .* is (il)?legal/.test(name));
  // claim, 7 settling events and 2 of clients, from 5 states.
  expect(lifecycle).toHaveLength(10 * 5);
});
