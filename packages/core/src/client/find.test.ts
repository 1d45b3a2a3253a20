import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { emptyDatabase, NOTHING } from '../../test/empty-database.js';
import type { JobFilter } from '../driver/job-filter.js';
import { defineHandler } from '../handler/handler.js';
import { complete, retry } from '../handler/outcome.js';
import type { JobView } from '../job/job.js';
import type { Json } from '../job/json.js';
import { createRowlock } from '../rowlock.js';

interface Receipt {
  readonly paid: number;
}

const receipt: Receipt = { paid: 1 };
const payload = z.object({ order: z.number(), at: z.date().optional(), when: z.coerce.date() });
const Pay = defineHandler({
  kind: 'pay',
  payload,
  run: ({ job }) => (job.attempt === 1 ? retry('busy') : complete(receipt)),
});

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';

/** A client on a table without jobs, and the filters that it has passed on. */
function client() {
  const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });
  const filters: JobFilter[] = [];
  const rowlock = createRowlock({
    driver: {
      ...driver,
      jobs: {
        ...driver.jobs,
        async list(filter) {
          filters.push(filter);
          return { jobs: [], next: null };
        },
      },
    },
  });
  return { rowlock, filters };
}

test('a job is looked for by its id, with a handler or a descriptor too', async () => {
  const { rowlock, filters } = client();
  expect(await rowlock.find(ID)).toBeUndefined();
  expect(await rowlock.find(Pay, ID.toUpperCase())).toBeUndefined();
  expect(await rowlock.find({ kind: 'other', payload }, ID, {})).toBeUndefined();
  expect(await rowlock.find(Pay, 'no id')).toBeUndefined();
  expect(filters).toEqual([{ publicIds: [ID] }, { publicIds: [ID] }, { publicIds: [ID] }]);
});

test('what is no handler is refused', async () => {
  const { rowlock } = client();
  const untyped: typeof Pay = JSON.parse('{"kind":"pay"}');
  await expect(rowlock.find(untyped, ID)).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
});

test('a handler types the payload as it is stored, and the output', async () => {
  const { rowlock } = client();
  const paid = await rowlock.find(Pay, ID);
  interface Payload {
    readonly order: number;
    readonly at?: string | undefined;
    readonly when: Json;
  }
  expectTypeOf(paid?.payload).branded.toEqualTypeOf<Payload | undefined>();
  expectTypeOf(paid?.output).toEqualTypeOf<Receipt | null | undefined>();
});

test('a descriptor types the payload alone, and an id nothing', async () => {
  const { rowlock } = client();
  const described = await rowlock.find({ kind: 'pay', payload: z.object({ order: z.number() }) }, ID);
  expectTypeOf(described?.payload).toEqualTypeOf<{ order: number } | undefined>();
  expectTypeOf(described?.output).toEqualTypeOf<Json | undefined>();
  expectTypeOf(await rowlock.find(ID)).toEqualTypeOf<JobView | undefined>();
});
