import '@rowlock/servers/vitest';
import { randomUUID } from 'node:crypto';
import type { Anchor, HeldTransaction, Job, Settlement } from '@rowlock/core/driver';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { context } from '../src/context.js';
import { FlushSession } from '../src/flush-session.js';
import { type PostgresTransaction, postgres } from '../src/index.js';

const QUEUE = 'q';
const ANSWER_MS = 20_000;

/** Jobs whose settlement is worth a flush of its own. */
const MANY = 10;

/** A net for what hangs. */
const PATIENCE = { timeout: 60_000 };

let url: string;
let drop: () => Promise<void>;
let plain: pg.Client;

beforeEach(async () => {
  ({ url, drop } = await freshDatabase(inject('postgresUrl')));
  plain = new pg.Client(url);
  await plain.connect();
});

afterEach(async () => {
  await plain.end();
  await drop();
});

const rows = async (text: string) => (await plain.query(text)).rows;

/** A session, and what lets its flushes through, for which a server's disk does not wait on demand. */
async function opened(...clients: pg.Client[]) {
  let letThrough = (): void => {};
  const gate = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  const client = new pg.Client(url);
  const query = client.query.bind(client);
  Object.assign(client, { query: (text: string) => gate.then(() => query(text)) });
  const session = new FlushSession(context('rowlock', ANSWER_MS), () => clients.shift() ?? client);
  expect(session.witness()).toBeNull();
  await vi.waitFor(() => expect(session.witness()).not.toBeNull(), PATIENCE);
  return { session, letThrough };
}

test('while no session is open, nobody tells of a commit: it waits by itself', async () => {
  const { session } = await opened();
  await session.close();
  expect(session.witness()).toBeNull();
  expect(
    await rows(
      "SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND datname = current_database()",
    ),
  ).toHaveLength(1);
});

test('a commit waits by itself where few others would share its flush, and where nothing comes behind it', async () => {
  const { session } = await opened();
  const commits = [1, 2, 3].map(() => session.begin(1, true));
  expect(commits.map(({ flushed }) => flushed)).toEqual([null, null, null]);
  expect(session.begin(1, false).flushed).toBeNull();
  expect(session.begin(1, true).flushed).not.toBeNull();
  for (const { end } of commits) end();
  expect(session.begin(1, true).flushed).toBeNull();
  expect(session.begin(MANY, true).flushed).not.toBeNull();
  expect(session.begin(MANY, false).flushed).toBeNull();
  await session.close();
  expect(session.begin(MANY, true).flushed).toBeNull();
});

test('a session that cannot be opened keeps nobody, and is tried again', async () => {
  const nowhere = new pg.Client({ host: '127.0.0.1', port: 1 });
  const { session } = await opened(nowhere);
  await session.close();
});

test('a session that has ended does not tell of the commits before: another one, which could not know, is for those after', async () => {
  const { session, letThrough } = await opened();
  const before = session.witness();
  const told = expect(before?.()).rejects.toMatchObject({ code: 'ConnectionLost' });
  await rows(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
  );
  await vi.waitFor(() => expect(session.witness()).toBeNull(), PATIENCE);
  letThrough();
  await told;
  await expect(before?.()).rejects.toMatchObject({ code: 'ConnectionLost' });
  await session.close();
});

test('claims that come one behind the other commit without waiting for the disk, are seen at once, and end when they are on it', async () => {
  const driver = postgres({ connectionString: url, sessions: 'own' });
  let anchor: Anchor | undefined;
  try {
    await driver.migrate();
    anchor = await driver.anchor({ name: 'w', host: 'h', pid: 1, queues: [QUEUE] });
    await rows(`INSERT INTO rowlock.job (queue, kind) SELECT '${QUEUE}', 'k' FROM generate_series(1, 10000)`);
    await rows('CREATE TABLE commits (job bigint, waits text)');
    await rows(`CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO public.commits VALUES (NEW.id, current_setting('synchronous_commit')); RETURN NEW; END $$`);
    await rows('CREATE TRIGGER note AFTER UPDATE ON rowlock.job FOR EACH ROW EXECUTE FUNCTION note()');
    const waits = async () => (await rows('SELECT waits FROM commits ORDER BY job DESC LIMIT 1'))[0]?.waits;

    let held = await driver.begin({ idleLimitMs: 60_000 });
    let jobs = await claim(held, MANY);
    // By itself, there is nothing to go on to.
    const first = await settle(held, jobs, () => driver.begin({ idleLimitMs: 60_000, after: held }));
    expect(await waits()).toBe('on');
    held = first.next;
    // From some settlement on, the session is open.
    await vi.waitFor(async () => {
      jobs = await claim(held, MANY);
      const before = held;
      const diary: string[] = [];
      const { next, seen } = await settle(
        before,
        jobs,
        () => driver.begin({ idleLimitMs: 60_000, after: before }),
        diary,
      );
      held = next;
      expect(seen).toEqual([{ status: 'complete', jobs: '10' }]);
      expect(diary).toEqual(['committed', 'ended']);
      expect(await waits()).toBe('off');
    }, PATIENCE);
    // One of one job, and alone on its way, would share its flush with nobody.
    const alone = held;
    const { next } = await settle(alone, await claim(held, 1), () =>
      driver.begin({ idleLimitMs: 60_000, after: alone }),
    );
    expect(await waits()).toBe('on');
    // Nobody was told that this one need not wait.
    await next.finish(completed(await claim(next, MANY)));
    expect(await waits()).toBe('on');
  } finally {
    await anchor?.release();
    await driver.close();
  }
});

/** Settles with the next claim's transaction right behind it. */
async function settle(
  held: HeldTransaction<PostgresTransaction>,
  jobs: readonly Job[],
  begin: () => Promise<HeldTransaction<PostgresTransaction>>,
  diary: string[] = [],
) {
  let see: Promise<unknown> = Promise.resolve();
  const ended = held.finish(completed(jobs), () => {
    diary.push('committed');
    see = rows(
      `SELECT status, count(*) AS jobs FROM rowlock.job WHERE id IN (${jobs.map(({ id }) => id)}) GROUP BY status`,
    );
  });
  const next = await begin();
  // What opens it is sent along with the settlement.
  const opens = next.confirm();
  expect(await ended).toEqual(jobs.map(({ id }) => id));
  diary.push('ended');
  await opens;
  return { next, seen: await see };
}

async function claim(held: HeldTransaction<PostgresTransaction>, limit: number): Promise<readonly Job[]> {
  const line = { priority: -32_768, id: 0n };
  const jobs = await held.claim({ queue: QUEUE, kinds: ['k'], line, busy: [], limit });
  if (jobs.length < limit) throw new Error('There was nothing to claim.');
  return jobs;
}

function completed(jobs: readonly Job[]): Settlement[] {
  const ending = { event: 'complete', attempt: 1, crashes: 0, delayMs: 0, tookMs: 0, error: null } as const;
  const run = { ...ending, runId: randomUUID(), output: null, by: 'test' };
  return jobs.map(({ id }) => ({ ...run, id }));
}
