import '@rowlock/servers/vitest';
import { randomUUID } from 'node:crypto';
import type { ClaimSession, Job, Settlement } from '@rowlock/core/driver';
import { countStates, newJob } from '@rowlock/driver-conformance/internal';
import { sharedDatabases } from '@rowlock/servers';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { type PostgresTransaction, postgres } from '../src/index.js';

let driver: ReturnType<typeof postgres>;
let held: ClaimSession<PostgresTransaction>;
let job: Job | undefined;

const NEW = newJob();

async function claim(): Promise<Job | undefined> {
  held = driver.claims.session({ idleLimitMs: 60_000 });
  const line = { priority: -32_768, id: 0n };
  const [claimed] = await held.claim({ queue: 'q', kinds: ['k'], line, busy: [], limit: 1 });
  return claimed;
}

const databases = sharedDatabases(inject('postgresUrl'));
afterAll(() => databases.drop());

beforeEach(async () => {
  const { url, drop } = await databases.take();
  driver = postgres({ connectionString: url });
  await driver.schema.migrate();
  await driver.jobs.enqueue([NEW]);
  job = await claim();
  return async () => {
    await held.rollback();
    await driver.close();
    await drop();
  };
});

const ending = (): Settlement => ({
  event: 'complete',
  attempt: 1,
  crashes: 0,
  delayMs: 0,
  tookMs: 0,
  error: null,
  id: job?.id ?? 0n,
  runId: randomUUID(),
  output: null,
  by: 'test',
});

const ENDINGS = ['COMMIT AND CHAIN', 'ROLLBACK AND CHAIN', 'COMMIT; BEGIN'];

/** Such a statement is refused where it is seen. Here it stands in what is a text by today's rules for quotes, and a call that hides it has set others. */
async function begin(statement: string): Promise<void> {
  await held.handle.query("SELECT set_config('standard_conforming' || '_strings', 'off', true)");
  await held.handle.query(`SELECT '\\'';${statement};--'`);
}
const ENDS = {
  settle: () => held.settle([ending()]),
  finish: () => held.finish([ending()]),
  undo: () => held.undo(),
  renew: () => held.renew(),
};

for (const statement of ENDINGS) {
  test.each(['settle', 'finish', 'undo', 'renew'] as const)(
    `a handler that begins anew by ${statement} has lost the claim, as %s finds`,
    async (verb) => {
      await held.handle.query('SELECT 1 AS one');
      await begin(statement);
      // Whoever comes has the job now.
      const other = driver.claims.session({ idleLimitMs: 60_000 });
      const line = { priority: -32_768, id: 0n };
      const [taken] = await other.claim({ queue: 'q', kinds: ['k'], line, busy: [], limit: 1 });
      expect(taken?.id).toBe(job?.id);
      await other.rollback();

      await expect(ENDS[verb]()).rejects.toMatchObject({ code: 'ConnectionLost' });
      expect(held.lost.aborted).toBe(true);
      await expect(held.settle([ending()])).rejects.toBe(held.lost.reason);
      await held.rollback();
      expect(await countStates(driver, {})).toMatchObject({ new: 1, complete: 0 });
    },
  );
}

test('a later run of the claim that begins anew has lost it too', async () => {
  await held.handle.query('SELECT 1 AS one');
  await held.renew();
  await held.handle.query('SELECT 1 AS one');
  await begin('COMMIT AND CHAIN');
  await expect(held.settle([ending()])).rejects.toMatchObject({ code: 'ConnectionLost' });
});

test("a handler's own savepoints, and what is undone, leave the claim as it is", async () => {
  await held.handle.query('SAVEPOINT own');
  await held.handle.query('SELECT 1 AS one');
  await held.handle.query('ROLLBACK TO SAVEPOINT own');
  await held.renew();
  await held.handle.query('SAVEPOINT own');
  await expect(held.handle.query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
  await held.undo();
  expect(await held.settle([ending()])).toEqual([job?.id]);
  await held.commit();
  expect(await countStates(driver, {})).toMatchObject({ complete: 1 });
});
