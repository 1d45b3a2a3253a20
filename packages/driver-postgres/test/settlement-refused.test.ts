import '@rowlock/servers/vitest';
import { randomUUID } from 'node:crypto';
import { createRowlock, defineHandler, fail, failedJob } from '@rowlock/core';
import type { ClaimSession, Job, Settlement } from '@rowlock/core/driver';
import { newJob } from '@rowlock/driver-conformance/internal';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { beforeEach, expect, inject, test } from 'vitest';
import { type PostgresTransaction, postgres } from '../src/index.js';

/** Something of the application's that refuses a settlement, behind what the handler wrote. */
const REFUSES = `
  CREATE TABLE effect (note text NOT NULL);
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE division_by_zero USING MESSAGE = 'refused'; END $$;
  CREATE TRIGGER refuses BEFORE UPDATE ON rowlock.job FOR EACH ROW
    WHEN (NEW.output = '"refused"') EXECUTE FUNCTION refuse()`;

let driver: ReturnType<typeof postgres>;
let reader: pg.Client;
let url: string;

beforeEach(async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  url = database.url;
  driver = postgres({ connectionString: url });
  await driver.schema.migrate();
  reader = new pg.Client({ connectionString: url });
  await reader.connect();
  await reader.query(REFUSES);
  return async () => {
    await driver.close();
    await reader.end();
    await database.drop();
  };
});

const FIRST = { queue: 'q', kinds: ['k'], line: { priority: -32_768, id: 0n }, busy: [], limit: 1 };

async function claimed(): Promise<{ held: ClaimSession<PostgresTransaction>; job: Job | undefined }> {
  const held = driver.claims.session({ idleLimitMs: 60_000 });
  const [job] = await held.claim(FIRST);
  return { held, job };
}

function ending(job: Job, change: Partial<Settlement>): Settlement {
  const { id } = job;
  return {
    id,
    runId: randomUUID(),
    event: 'complete',
    attempt: 1,
    crashes: 0,
    delayMs: 0,
    tookMs: 0,
    output: null,
    error: null,
    by: 'test',
    ...change,
  };
}

const refused = (job: Job): Settlement => ending(job, { output: 'refused' });
const retried = (job: Job): Settlement => ending(job, { event: 'retry', delayMs: 60_000 });

const effects = async (): Promise<number> => (await reader.query('SELECT FROM effect')).rows.length;

const jobs = async (): Promise<unknown[]> =>
  (await reader.query('SELECT status, attempt FROM rowlock.job ORDER BY id')).rows;

const write = (held: ClaimSession<PostgresTransaction>): Promise<unknown> =>
  held.handle.query("INSERT INTO effect VALUES ('written')");

test.each(['finish', 'settle'] as const)(
  'what %s cannot settle is undone with all that was written, and settled otherwise under its lock',
  async (verb) => {
    await driver.jobs.enqueue([newJob()]);
    const { held, job } = await claimed();
    if (job === undefined) throw new Error('There is no job.');
    await write(held);
    await expect(held[verb]([refused(job)])).rejects.toThrow('refused');
    await held.undo();
    expect(held.lost.aborted).toBe(false);
    const other = await claimed();
    expect(other.job).toBeUndefined();
    await other.held.rollback();

    expect(await held.finish([retried(job)])).toEqual({ settled: [job.id], next: null });
    expect(await effects()).toBe(0);
    expect(await jobs()).toEqual([{ status: 'new', attempt: 1 }]);
  },
);

/** Refuses rows at the commit, where each statement before has succeeded. */
const refuseAtCommit = (event: string, when: string): Promise<unknown> =>
  reader.query(
    `CREATE CONSTRAINT TRIGGER at_commit AFTER ${event} ON rowlock.job DEFERRABLE INITIALLY DEFERRED
     FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION refuse()`,
  );

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

const AnyJson = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

test.each(['hold', 'lease'] as const)(
  'a failure stands where only the commit refuses the job of onFailed: %s',
  async (claim) => {
    await refuseAtCommit('INSERT', "NEW.kind = 'report'");
    const work = defineHandler({
      kind: 'work',
      payload: AnyJson,
      claim,
      onFailed: { kind: 'report', payload: failedJob },
      run: () => fail(new Error('never')),
    });
    const rowlock = createRowlock({ driver, handlers: [work], log: SILENT });
    await rowlock.enqueueMany(work, [{ payload: 1 }, { payload: 2 }]);
    await rowlock.runUntilIdle({ concurrency: 1 });
    expect(await jobs()).toEqual([
      { status: 'error', attempt: 1 },
      { status: 'error', attempt: 1 },
    ]);
  },
);

test('a job that only the commit refuses holds up no other one, and has no more runs than attempts', async () => {
  await refuseAtCommit('UPDATE', "NEW.payload = '1' AND NEW.status <> 'in-progress'");
  const runs: unknown[] = [];
  const work = defineHandler({
    kind: 'work',
    payload: AnyJson,
    attempts: 2,
    run: ({ job }) => void runs.push(job.payload),
  });
  const rowlock = createRowlock({ driver, handlers: [work], log: SILENT });
  await rowlock.enqueueMany(work, [{ payload: 1 }, { payload: 2 }, { payload: 3 }]);
  const ended = await rowlock.runUntilIdle({ concurrency: 1 });
  expect(ended).toMatchObject({ completed: 2, remaining: { waiting: { count: 1 }, due: true } });
  expect((await jobs()).map((row) => Object(row).status).toSorted()).toEqual(['complete', 'complete', 'new']);
  expect(runs.filter((payload) => payload === 1).length).toBeLessThanOrEqual(3);
});
