import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { mysql } from '../src/index.js';
import type { GivenRows } from '../src/jobs/given.js';
import { ENDINGS, idRows, MOVES, PUBLIC_IDS, recordsOf, SLOTS, TIMES } from '../src/jobs/given-rows.js';
import { statements } from '../src/statements.js';
import { list } from '../src/values/list.js';
import { serverUrl } from './server.js';
import { spelled } from './spelled.js';

type Values = GivenRows['values'];

/** A statement that changes or locks rows by their ids, and its values. */
type Spell = (ids: readonly bigint[]) => readonly [text: string, values: Values];

const SCHEMA = 'plans';
const sql = statements(SCHEMA);
const RUN = '00000000-0000-4000-8000-000000000000';

function listed(text: (places: string) => string, before: Values = [], after: Values = []): Spell {
  return (ids) => {
    const { places, values } = list(ids);
    return [text(places), [...before, ...values, ...after]];
  };
}

function given(
  text: (rows: string) => string,
  rows: (ids: readonly bigint[]) => GivenRows,
  after: Values = [],
): Spell {
  return (ids) => [text(rows(ids).text), [...rows(ids).values, ...after]];
}

function ofOne(text: string, before: Values = [], after: Values = []): Spell {
  return ([id = 0n]) => [text, [...before, id, ...after]];
}

const records = (ids: readonly bigint[]): GivenRows => recordsOf({ runId: RUN, jobs: ids });

const endings = (ids: readonly bigint[]): GivenRows =>
  ENDINGS.rows(ids.map((id) => ({ ...ENDING, id: String(id) })));

const moves = (ids: readonly bigint[]): GivenRows =>
  MOVES.rows(ids.map((id) => ({ id: String(id), crashes: 0 })));

const slots = (ids: readonly bigint[]): GivenRows =>
  SLOTS.rows(ids.map((id) => ({ name: 'n', n: String(id) })));

const times = (ids: readonly bigint[]): GivenRows =>
  TIMES.rows(ids.map((id) => ({ id: String(id), available_at: '2100-01-01' })));

const publicIds = (ids: readonly bigint[]): GivenRows =>
  PUBLIC_IDS.rows(ids.map((id) => ({ public_id: String(id) })));

const ENDING = {
  process_id: RUN,
  event: 'complete',
  status: 'complete',
  attempt: 1,
  crashes: 0,
  delay: 0,
  took: 0,
  output: null,
  error: null,
  settled_by: 'test',
};

/** Every statement that changes or locks rows. Those of the claim have tests of their own: see locks.test.ts. */
const WRITES: Readonly<Record<string, Spell>> = {
  'settlements.settle': given(sql.settlements.settle, endings, ['new']),
  'settlements.settleAlike': listed(
    sql.settlements.settleAlike,
    [RUN, 'complete', 1, 0, null, null, 0, 'test', 'test'],
    ['new'],
  ),
  'settlements.endRuns': given(sql.settlements.endRuns, endings),
  'settlements.endTogether': ofOne(sql.settlements.endTogether, [], [RUN, 1]),
  'runs.endOpenRun': ofOne(sql.runs.endOpenRun, [], [RUN]),
  'runs.endCrashedRuns': given((rows) => sql.runs.endCrashedRuns(rows, '?'), records, [RUN]),
  'runs.release': given(sql.runs.release, records, [1]),
  'runs.noteProgress': listed(sql.runs.noteProgress, ['1'], [RUN]),
  'leases.lease': listed(sql.leases.lease, [RUN, 1]),
  'leases.reclaim': listed(sql.leases.reclaim),
  'limits.markSlots': given(sql.limits.markSlots, slots, [RUN, 1]),
  'limits.leaveLimits': listed(sql.limits.leaveLimits),
  'limits.unsetLimit': ofOne(sql.limits.unsetLimit),
  'limits.lockLimit': ofOne(sql.limits.lockLimit),
  'pauses.lockPause': ofOne(sql.pauses.lockPause, ['queue']),
  'schedules.lockSchedule': ofOne(sql.schedules.lockSchedule),
  'pauses.resume': ofOne(sql.pauses.resume, ['queue']),
  'pauses.endPauses': () => [sql.pauses.endPauses, []],
  'rates.giveBackStart': ofOne(sql.rates.giveBackStart, [], [RUN]),
  'schedules.pauseSchedule': ofOne(sql.schedules.pauseSchedule, ['test']),
  'schedules.resumeSchedule': ofOne(sql.schedules.resumeSchedule, [1], ['f']),
  'schedules.removeSchedule': ofOne(sql.schedules.removeSchedule),
  'schedules.lockDueSchedule': ofOne(sql.schedules.lockDueSchedule, [], ['f', 1]),
  'schedules.moveSchedule': ofOne(sql.schedules.moveSchedule, [1, 1, 1]),
  'schedules.changeSchedule': ofOne(
    sql.schedules.changeSchedule,
    ['{}', 'f', 'code', 1, 'test'],
    ['f', 'code', 1],
  ),
  'schedules.noteSkipped': ofOne(sql.schedules.noteSkipped, [1, RUN]),
  'schedules.noteBroken': ofOne(sql.schedules.noteBroken, ['no'], ['f', 1]),
  'history.reportRunning': ofOne(sql.history.reportRunning, ['[]', '[]', 1]),
  'history.coarsenTallies': () => [sql.history.coarsenTallies, ['2000-01-01']],
  'history.deleteFine': () => [sql.history.deleteFine, ['2000-01-01']],
  'history.forgetTallies': () => [sql.history.forgetTallies, []],
  'audit.noteAgain': ([id = 0n]) => [sql.audit.noteAgain, ['ann', 'cancel', 'jobs', '', '{}', id]],
  'audit.prune': () => [sql.audit.prune, [1]],
  'captures.forgetLosses': ofOne(sql.captures.forgetLosses),
  'captures.lockBackfill': ofOne(sql.captures.lockBackfill),
  'captures.moveBackfill': ofOne(sql.captures.moveBackfill, [null, 1, 0]),
  'surveys.promote': listed(sql.surveys.promote),
  'followers.admit': given(sql.followers.admit, times),
  'followers.forgetFollowers': given(sql.followers.forgetFollowers, publicIds),
  'followers.lockFollowers': listed(sql.followers.lockFollowers),
  'expiry.lockExpired': listed(sql.expiry.lockExpired),
  'expiry.cancelExpired': given(sql.expiry.cancelExpired, idRows, ['{}', 'test']),
  'expiry.forgetExpired': given(sql.expiry.forgetExpired, publicIds),
  'jobs.move': given(sql.jobs.move, moves, ['new', 'new', 'new', 'new', 'new', 'new', 'new', 'test', 'new']),
  'history.prune': given(sql.history.prune, idRows),
  'history.pruneRuns': given(sql.history.pruneRuns, idRows),
  'bell.pruneBell': ([id = 0n]) => [sql.bell.pruneBell, [id]],
  'history.takePruneTurn': ofOne(sql.history.takePruneTurn, [1]),
  'workers.beat': ofOne(sql.workers.beat, [1]),
  'workers.showServer': ofOne(sql.workers.showServer),
  'workers.reportLines': ofOne(sql.workers.reportLines, ['{}']),
  'workers.stopWorker': ofOne(sql.workers.stopWorker),
  'workers.forgetWorkers': given(sql.workers.forgetWorkers, idRows, ['lock']),
  'jobs.lockNow': listed(sql.jobs.lockNow, [null]),
  'jobs.lockOne': ofOne(sql.jobs.lockOne, [null]),
  'jobs.update': ofOne(sql.jobs.update("metadata = JSON_SET(metadata, '$.n', 1)")),
  'bell.writes': ofOne(sql.bell.writes),
  'workers.lockWorker': ofOne(sql.workers.lockWorker('SKIP LOCKED')),
  'schema.lockMigration': ofOne(sql.schema.lockMigration('SKIP LOCKED')),
  'claims.lockAgain': listed(sql.claims.lockAgain),
  'siblings.lockSiblings': listed(sql.siblings.lockSiblings),
  'siblings.lockManySiblings': listed(sql.siblings.lockManySiblings),
  'leases.lockLeased': listed(sql.leases.lockLeased, [], [RUN]),
  'leases.lockReclaimable': listed(sql.leases.lockReclaimable),
  'surveys.lockLater': listed(sql.surveys.lockLater),
  'history.lockSettled': listed(sql.history.lockSettled, [], [0]),
};

test('the plans of all statements are tested that change or lock rows', () => {
  const found = spelled(SCHEMA)
    .filter(({ text }) => /^\s*(UPDATE|DELETE)\b|\bFOR UPDATE\b/.test(text))
    .map(({ verb }) => verb)
    // Of whole tables, as `schema.empty` is, and of claims, which have tests of their own.
    .filter((verb) => !/^(claims\.claim|schema\.empty)/.test(verb));
  expect(Object.keys(WRITES).sort()).toEqual(found.sort());
});

interface Plan extends RowDataPacket {
  /** `INSERT` for the table that gets rows, of which nothing is read. */
  readonly select_type: string;
  readonly table: string | null;
  readonly type: string | null;
  readonly key: string | null;
  readonly rows: number | null;
}

/** The tables by the names that the statements have for them. `rowlock_bell` is not one: its rings are read in order, with SKIP LOCKED. */
const TABLES =
  'job run worker bell slot edge expiry rowlock_job rowlock_run rowlock_open_run rowlock_worker rowlock_limit_setting rowlock_pause rowlock_rate rowlock_schedule rowlock_follower rowlock_expiry rowlock_tally rowlock_capture_loss rowlock_capture_backfill'.split(
    ' ',
  );

/** The most ids in a statement. */
const MOST = 1_024;

const DIGITS = Array.from({ length: 10 }, (_, n) => `SELECT ${n} AS n`).join(' UNION ALL ');
const NUMBERS = Array.from({ length: 5 }, (_, place) => `(${DIGITS}) AS digit${place}`).join(' JOIN ');

/** A statement that reads past its own rows locks them, and so waits for running claims. */
test.each([0, 3, 20, 2_000, 10_000])(
  'among %i rows no statement that changes or locks rows reads others',
  async (size) => {
    const fresh = await freshMysqlDatabase(serverUrl);
    onTestFinished(() => fresh.drop());
    const driver = mysql({ uri: fresh.url });
    onTestFinished(() => driver.close());
    await driver.schema.migrate();
    const connection = await createConnection(fresh.url);
    onTestFinished(() => connection.end());
    const database = new URL(fresh.url).pathname.slice(1);
    if (size > 0)
      for (const fill of [
        `INSERT INTO rowlock_job (id, queue, kind) SELECT ROW_NUMBER() OVER (), 'q', 'k' FROM ${NUMBERS} LIMIT ${size}`,
        `INSERT INTO rowlock_run (process_id, job_id, worker_id) SELECT '${RUN}', id, 1 FROM rowlock_job`,
        `INSERT INTO rowlock_open_run (process_id, worker_id, first_id, last_id, job_ids) SELECT '${RUN}', 1, id, id, '[]' FROM rowlock_job`,
        "INSERT INTO rowlock_worker (id, name, host, pid, queues) SELECT id, 'w', 'h', 1, '[]' FROM rowlock_job",
        "INSERT INTO rowlock_bell (id, wake_up) SELECT id, '{}' FROM rowlock_job",
        "INSERT INTO rowlock_limit_slot (name, n, run_id, leased_until) SELECT 'n', id, id, UTC_TIMESTAMP() FROM rowlock_job",
        'INSERT INTO rowlock_limit_setting (name, max) SELECT id, 1 FROM rowlock_job',
        'ANALYZE TABLE rowlock_job, rowlock_run, rowlock_open_run, rowlock_worker, rowlock_bell',
        "INSERT INTO rowlock_pause (scope, name) SELECT 'queue', id FROM rowlock_job",
        "INSERT INTO rowlock_schedule (name, plan, fingerprint, source, next_at, paused_at, paused_by) SELECT id, '{}', 'f', 'code', '1970-01-01 00:00:00.001', IF(id % 2, NULL, UTC_TIMESTAMP()), IF(id % 2, NULL, 'b') FROM rowlock_job",
        "INSERT INTO rowlock_tally SELECT UTC_TIMESTAMP() - INTERVAL id MINUTE, 'q', id, 1, 0, 0, 0, '[]', '[]' FROM rowlock_job",
        "INSERT INTO rowlock_capture_loss (name, error) SELECT id, 'e' FROM rowlock_job",
        "INSERT INTO rowlock_follower SELECT id, id, '9999-12-31' FROM rowlock_job",
        "INSERT INTO rowlock_expiry SELECT id, '9999-12-31' FROM rowlock_job",
        'INSERT INTO rowlock_capture_backfill (name) SELECT id FROM rowlock_job',
        'ANALYZE TABLE rowlock_limit_slot, rowlock_capture_loss, rowlock_capture_backfill, rowlock_limit_setting, rowlock_pause, rowlock_schedule, rowlock_follower, rowlock_expiry, rowlock_tally',
      ])
        await connection.query(fill);

    const few = [1n, 2n];
    const most = Array.from({ length: Math.min(MOST, Math.max(2, size - 1)) }, (_, place) =>
      BigInt(place + 1),
    );
    for (const [verb, spell] of Object.entries(WRITES))
      for (const ids of [[1n], few, most]) {
        const [text, values] = spell(ids);
        const [plans] = await connection.execute<Plan[]>(
          `EXPLAIN FORMAT=TRADITIONAL ${text.replaceAll(`\`${SCHEMA}\``, `\`${database}\``)}`,
          values.map((value) => (value === null ? null : String(value))),
        );
        const reading = plans.filter(
          ({ table, select_type }) => TABLES.includes(table ?? '') && select_type !== 'INSERT',
        );
        for (const { table, type, key, rows } of reading) {
          const plan = `${verb} of ${ids.length}: ${table}, ${type}, ${key}, ${rows}`;
          expect(key, plan).toBe('PRIMARY');
          expect(['const', 'eq_ref', 'ref', 'range'], plan).toContain(type);
        }
      }
  },
);
