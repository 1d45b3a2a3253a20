import { complete, defineHandler, fail, failedJob, type Json, type RunContext } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { until } from '../until.js';
import { withMishap } from '../with-mishap.js';
import { AnyJson, SOON, startWorker } from '../worker-process.js';

/** The table of jobs refuses it, as a database in another character set would. */
const REFUSED = '✓';

/** A stage whose table of jobs refuses a text. Undefined where it holds every text. */
async function refusing<Tx>(outer: Stage<Tx>): Promise<Stage<Tx> | undefined> {
  const own = await withMishap(outer, ({ refuse }) => refuse);
  await own?.mishap(REFUSED);
  return own?.stage;
}

const MODES = [
  { how: 'held', writes: false },
  { how: 'held, with a write', writes: true },
  { how: 'leased', claim: 'lease', writes: false },
  { how: 'leased, with a write', claim: 'lease', writes: true },
] as const;

/** A database may refuse how a job ended. No run is then taken for a crash, and no other job suffers for it. */
export const refusedSettlements = theme('refused settlements', (test) => {
  for (const { how, writes, ...options } of MODES) {
    for (const ends of ['throws', 'returns'] as const) {
      test(`a job whose handler ${ends} what the table refuses ends with a reduced error: ${how}`, async <
        Tx,
      >(outer: Stage<Tx>) => {
        const stage = await refusing(outer);
        if (stage === undefined) return;
        const { driver, put, queue } = stage;
        const notes = await stage.createNotes();
        const handler = defineHandler({
          kind: 'work',
          queue,
          payload: AnyJson,
          retry: SOON,
          ...options,
          async run({ tx }: RunContext<unknown, Tx>) {
            if (writes) await notes.write(tx, 'an attempt');
            if (ends === 'throws')
              throw Object.assign(new Error(`${REFUSED} all is lost`), { code: 'E_LOST' });
            return complete(REFUSED);
          },
        });
        await startWorker(stage, [handler]);
        await put({ maxAttempts: 2 });
        await driver.workers.notify([{ queue }]);
        const [row] = await allSettled(stage);
        expect(row).toMatchObject({ status: 'error', attempt: 2, crashes: 0, output: null });
        expect(row?.error).toMatchObject(
          ends === 'throws' ? { code: 'E_LOST', message: '\\u{2713} all is lost' } : { code: 'InvalidInput' },
        );
        expect(await notes.all()).toEqual([]);
      });
    }
  }

  for (const options of [{ batch: 10 }, { claim: 'lease' }] as const) {
    test(`a failure stands although the table refuses what follows, and others are followed: ${JSON.stringify(options)}`, async (outer) => {
      const own = await withMishap(outer, ({ refuseRows }) => refuseRows);
      if (own === undefined) return;
      const { stage, mishap } = own;
      const { putMany, queue, reader } = stage;
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        ...options,
        onFailed: { kind: 'report', queue, payload: failedJob },
        run: () => fail(new Error('never')),
      });
      await putMany(['good', REFUSED, 'good too'].map((payload) => ({ payload })));
      await mishap('INSERT', REFUSED);
      await startWorker(stage, [handler], { concurrency: 1 });
      const rows = await until('all have failed', async () => {
        const now = await reader.jobs(queue);
        return now.filter(({ status }) => status === 'error').length === 3 && now;
      });
      const followed = rows.filter(({ kind }) => kind === 'report');
      expect(followed.map(({ payload }) => Object(payload).payload)).toEqual(['good', 'good too']);
      expect(rows.map(({ crashes }) => crashes)).toEqual([0, 0, 0, 0, 0]);
    });
  }

  for (const { batch, writes } of [
    { batch: 1, writes: false },
    { batch: 10, writes: false },
    { batch: 10, writes: true },
  ]) {
    test(`only the jobs whose settlements the table refuses suffer: in batches of ${batch}${writes ? ', with a write' : ''}`, async <
      Tx,
    >(outer: Stage<Tx>) => {
      const stage = await refusing(outer);
      if (stage === undefined) return;
      const { putMany, queue } = stage;
      const notes = await stage.createNotes();
      const outputs: readonly Json[] = [
        ...Array.from({ length: 12 }, (_, place) => place),
        REFUSED,
        'last',
        null,
      ];
      const handler = defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        retry: SOON,
        batch,
        async run({ job, tx }: RunContext<Json, Tx>) {
          if (writes) await notes.write(tx, job.publicId);
          return complete(job.payload);
        },
      });
      await putMany(outputs.map((payload) => ({ payload, maxAttempts: 2 })));
      await startWorker(stage, [handler], { concurrency: 1 });
      const rows = await allSettled(stage);
      expect(rows.map(({ status, attempt, crashes, output }) => [status, attempt, crashes, output])).toEqual(
        outputs.map((output) => (output === REFUSED ? ['error', 2, 0, null] : ['complete', 1, 0, output])),
      );
      const completed = rows.filter(({ status }) => status === 'complete').map(({ publicId }) => publicId);
      expect((await notes.all()).toSorted()).toEqual(writes ? completed.toSorted() : []);
    });
  }
});
