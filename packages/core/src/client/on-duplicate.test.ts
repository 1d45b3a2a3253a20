import { expect, test } from 'vitest';
import { z } from 'zod';
import { newJobs } from './new-job.js';

const work = { kind: 'work', payload: z.number() };
const debounce = { quiet: '2s', max: '10s' } as const;

test('a debounced job starts after its quiet time', async () => {
  const unique = { key: 'a', onDuplicate: { debounce } };
  const [job] = await newJobs(work, [{ payload: 1, unique }]);
  expect(job).toMatchObject({ available: { inMs: 2_000 }, unique: { key: 'a', scope: 'outstanding' } });
});

test.each([
  ['a key for ever', { unique: { key: 'a', scope: 'ever', onDuplicate: 'replace' } }, /scope/],
  ['jobs that go first', { unique: { key: 'a', onDuplicate: 'replace' }, after: [] }, /after/],
  ['a delay beside quiet', { unique: { key: 'a', onDuplicate: { debounce } }, delay: '1s' }, /quiet/],
  ['a max below quiet', { unique: { key: 'a', onDuplicate: { debounce: { quiet: 2, max: 1 } } } }, /max/],
] as const)('%s is refused', (_, options, message) => {
  expect(() => newJobs(work, [{ payload: 1, ...options }])).toThrow(message);
});
