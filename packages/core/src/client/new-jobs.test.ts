import { expect, test } from 'vitest';
import { z } from 'zod';
import { newJobs } from './new-jobs.js';

const handler = { kind: 'work', queue: 'default', attempts: 5 };
const now = { ...handler, payload: z.object({ n: z.number() }) };
const later = { ...handler, payload: z.object({ n: z.number() }).refine(async ({ n }) => n > 0) };
const options = (...numbers: unknown[]) => numbers.map((n) => ({ payload: { n } }));

for (const [what, schema] of Object.entries({ 'at once': now, later })) {
  test(`a schema that answers ${what}: jobs in the order given`, async () => {
    const jobs = await newJobs(schema, options(1, 2, 3));
    expect(jobs.map(({ payload }) => payload)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  test(`a schema that answers ${what}: one payload that it refuses refuses all`, async () => {
    await expect(newJobs(schema, options(1, 'two', 3))).rejects.toMatchObject({
      code: 'ROWLOCK_INVALID_PAYLOAD',
    });
  });
}

test('what is refused at once leaves no rejection behind of what is being checked still', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  const refused = newJobs(later, [...options(-1), { payload: { n: 1 }, priority: 0.5 }]);
  await expect(refused).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
