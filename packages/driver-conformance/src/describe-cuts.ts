import { randomUUID } from 'node:crypto';
import { createRowlock, type Driver, defineCapture, increment, type Rowlock } from '@rowlock/core';
import type { ClaimSession, Joined, NewAuditEntry, NewJob, RunStart, Settlement } from '@rowlock/core/driver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newJob } from './new-job.js';
import { type SeverableServer, severableServer } from './severable-server.js';
import { until, within } from './until.js';
import { AnyJson } from './worker-process.js';

export interface CutsUnderTest<Tx> {
  readonly name: string;
  /** Makes a fresh and empty database. */
  database(): Promise<{ readonly url: string; drop(): Promise<void> }>;
  /** The driver, on this URL. */
  driver(url: string): Driver<Tx>;
  /** Begins a transaction with the plain client. */
  begin(url: string): Promise<{ readonly tx: Tx; end(): Promise<void> }>;
  /** Runs statements with the plain client. */
  exec(url: string, statements: readonly string[]): Promise<void>;
}

/** Every verb of a driver, whose connections are cut at each of its messages. A driver's own test file calls this once. */
export function describeCuts<Tx>(under: CutsUnderTest<Tx>): void {
  describe(under.name, () => {
    let database: Awaited<ReturnType<CutsUnderTest<Tx>['database']>>;
    let server: SeverableServer;
    let url: string;
    let driver: Driver<Tx>;
    let target: Target;

    beforeAll(async () => {
      database = await under.database();
      const { hostname, port } = new URL(database.url);
      server = await severableServer({ host: hostname, port: Number(port) });
      const own = new URL(database.url);
      own.host = `${server.host}:${server.port}`;
      url = own.href;
      await under.exec(database.url, ['CREATE TABLE captured (id BIGINT NOT NULL PRIMARY KEY)']);
      driver = under.driver(url);
      await driver.schema.migrate();
      const rowlock = createRowlock({ driver, captures: [Captured] });
      await rowlock.captures.apply();
      await under.exec(database.url, ['INSERT INTO captured VALUES (1), (2)']);
      target = { driver, rowlock, publicId: (await rowlock.enqueue(There, { payload: 1 })).publicId };
      await driver.jobs.enqueue([newJob({ queue: 'claimed', key: 'key' })]);
    });

    afterAll(async () => {
      await driver.close().catch(() => {});
      await server.sever();
      await database.drop();
    });

    test.each(Object.entries(JOINED))('joined %s', async (name, verb) => {
      for (let pieces = 1; ; pieces++) {
        await open();
        const caller = await under.begin(url);
        server.cutAt(pieces);
        await expectDriverErrors(within(name, verb(driver.join(caller.tx), target)));
        const isOver = !isCut();
        await caller.end();
        if (isOver) break;
      }
    });

    // After those that are joined, as the last one empties the tables.
    test.each(Object.entries(VERBS))('%s', async (name, verb) => {
      for (let pieces = 1; ; pieces += STEPS[name] ?? 1) {
        if (!OPENING.has(name)) await open();
        server.cutAt(pieces);
        await expectDriverErrors(within(name, verb(target)));
        if (!isCut()) break;
      }
    });

    /** Opens a connection of the pool, which may still have one that was cut. */
    const open = (): Promise<unknown> =>
      until('a connection is open', () =>
        driver.jobs.uniqueJobs('k', ['one']).then(
          () => true,
          () => false,
        ),
      );

    /** Whether the cut has happened. From now on none will. */
    function isCut(): boolean {
      const { piecesLeft } = server;
      server.cutAt(0);
      return piecesLeft === 0;
    }
  });
}

/** What the verbs are called on. */
interface Target {
  readonly driver: Driver;
  readonly rowlock: Rowlock;
  /** A job's that is there. */
  readonly publicId: string;
}

const There = { kind: 'there', queue: 'there', payload: AnyJson };
const Captured = defineCapture({ name: 'captured', table: 'captured', id: ['id'], kind: 'captured' });

/** Each verb rejects with a driver's error, or resolves. A session's verbs each have their own. */
async function expectDriverErrors(verb: Promise<unknown>): Promise<void> {
  const [result] = await Promise.allSettled([verb]);
  const errors =
    result.status === 'rejected' ? [result.reason] : Array.isArray(result.value) ? result.value : [];
  for (const error of errors.filter((each) => each instanceof Error))
    expect(error).toMatchObject({ name: 'DriverError', code: 'ConnectionLost' });
}

/** The verbs that begin without a connection, so that what opens one is cut too. */
const OPENING: ReadonlySet<string> = new Set([
  'jobs.enqueue',
  'jobs.move that waits',
  'claims.session, held',
  'workers.anchor',
]);

/**
 * After how many further messages the next cut comes. Default 1. These make a dozen looks at once, each on a connection of its own
 * with some messages. A cut ends all of them, so that each comes to each of its own messages all the same.
 */
const STEPS: Readonly<Record<string, number>> = { 'schema.examine': 5 };

/** For a lock of a connection that was cut: the server ends such a one a moment later, and in less than a driver waits for an answer. */
const WAIT_MS = 15_000;

const PAGE = { limit: 10, before: null };
const LANES = { queues: ['q'], kinds: ['k'] };
const WORKER = { name: 'worker', host: 'host', pid: 1, queues: ['q'] };
const EVERY = {
  name: 'every',
  plan: {
    job: newJob({ queue: 'other' }),
    timing: { everyMs: 1_000, anchorMs: 0, jitterMs: 0 },
    missed: 'once',
    overlap: 'allow',
  },
  fingerprint: 'one',
  source: 'dynamic',
  nextAt: 0,
  read: null,
} as const;
const MAIL = JSON.stringify({ mail: 3 });
const unique = (): NewJob => newJob({ queue: 'other', unique: { key: randomUUID(), scope: 'outstanding' } });
const update = {
  column: 'metadata',
  operations: [increment('n')],
  from: ['new', 'cancelled'],
  mostBytes: 1_000,
} as const;

const ENTRY: NewAuditEntry = { action: 'pause', scope: 'queue', name: 'no', details: {}, by: 'test' };
const AUDIT_PAGE = { by: null, action: null, scope: null, name: null, before: null, limit: 10 };

/** The names of all verbs of these contracts: one that is new does not compile until it is cut. */
type VerbsOf<Contracts> = {
  [Contract in keyof Contracts & string]: NonNullable<Contracts[Contract]> extends infer Verbs
    ? Verbs extends (...given: never) => unknown
      ? never
      : `${Contract}.${keyof Verbs & string}`
    : never;
}[keyof Contracts & string];

/** These are steps of a session, or send nothing by themselves. */
type OfSessions = 'claims.session' | 'claims.deferred' | 'claims.startRuns' | 'captures.mute';

/** Contracts only: a driver's name and pool have no verbs. */
type DriverVerb = Exclude<VerbsOf<Omit<Driver, 'name' | 'pool'>>, OfSessions>;

/** A verb by its name, with more about the way in which it is called behind that. */
type Called<Verb extends string, Call> = Readonly<Record<Verb, Call> & Record<string, Call>>;

const VERBS: Called<DriverVerb, (target: Target) => Promise<unknown>> = {
  'schema.migrate': ({ driver }) => driver.schema.migrate(),
  'schema.verify': ({ driver }) => driver.schema.verify(),
  'schema.examine': async ({ driver }) => driver.schema.examine?.(60_000),
  'jobs.enqueue': ({ driver }) => driver.jobs.enqueue([newJob({ queue: 'other' })], [{ queue: 'q' }]),
  'jobs.enqueue of several': ({ driver }) => driver.jobs.enqueue([unique(), newJob({ queue: 'other' })]),
  'jobs.enqueue of followers': ({ driver, publicId }) =>
    driver.jobs.enqueue([newJob({ queue: 'other', after: [publicId] })]),
  'jobs.enqueue that waits': ({ driver }) => driver.jobs.enqueue([unique()], [], WAIT_MS),
  'jobs.uniqueJobs': ({ driver }) => driver.jobs.uniqueJobs('k', ['one']),
  'jobs.list': ({ driver }) => driver.jobs.list({}, PAGE),
  'jobs.list of a state': ({ driver }) => driver.jobs.list({ status: ['new'] }, PAGE),
  'jobs.list of running ones': ({ driver }) => driver.jobs.list({ status: ['in-progress'] }, PAGE),
  'jobs.list of ids': ({ driver, publicId }) => driver.jobs.list({ publicIds: [publicId] }, PAGE),
  'jobs.entries': ({ driver }) => driver.jobs.entries({}, PAGE),
  'jobs.count': ({ driver }) => driver.jobs.count({}, PAGE),
  'jobs.move': ({ driver, publicId }) => driver.jobs.move('cancel', [publicId]),
  'jobs.move that waits': ({ driver, publicId }) =>
    driver.jobs.move('redrive', [publicId], { waitMs: WAIT_MS }),
  'jobs.update': ({ driver, publicId }) => driver.jobs.update(publicId, update),
  'jobs.update that waits': ({ driver, publicId }) => driver.jobs.update(publicId, update, WAIT_MS),
  'claims.session, held': ({ driver }) => session(driver, HELD),
  'claims.session, leased': ({ driver }) => session(driver, LEASED),
  'claims.session, with limits': ({ driver }) => session(driver, LIMITED),
  'claims.dueQueues': ({ driver }) => driver.claims.dueQueues(LANES),
  'claims.survey': ({ driver }) => driver.claims.survey(LANES),
  'claims.reclaim': ({ driver }) => driver.claims.reclaim({ queues: ['q'], dead: ['1'] }),
  'claims.noteRun': ({ driver }) => driver.claims.noteRun({ runId: randomUUID(), jobs: [1n] }, 1),
  'workers.notify': ({ driver }) => driver.workers.notify([{ cancel: randomUUID(), redrives: 0 }]),
  'workers.list': ({ driver }) => driver.workers.list(),
  'workers.anchor': async ({ driver }) => (await driver.workers.anchor(WORKER)).release(),
  'admission.set': ({ driver }) => driver.admission.set('mail', { max: 3 }, 'test'),
  'admission.pause': ({ driver }) =>
    driver.admission.pause({ scope: 'queue', name: 'no', until: null, reason: null, by: 'test' }),
  'admission.resume': ({ driver }) => driver.admission.resume({ scope: 'queue', name: 'no' }),
  'admission.pauses': ({ driver }) => driver.admission.pauses(),
  'admission.parts': ({ driver }) => driver.admission.parts({ queues: ['q'], beyond: '', limit: 10 }),
  'admission.take': ({ driver }) =>
    driver.admission.take([{ name: 'rate', starts: 9, perMs: 1, burst: 1 }], randomUUID()),
  'admission.giveBack': ({ driver }) => driver.admission.giveBack(['rate'], randomUUID()),
  'admission.jobs': ({ driver }) => driver.admission.jobs({ parts: 10, counted: 10 }),
  'admission.limits': ({ driver }) => driver.admission.limits(),
  'admission.prune': ({ driver }) => driver.admission.prune('', 1),
  'jobs.enqueue of what expires': ({ driver }) =>
    driver.jobs.enqueue([newJob({ queue: 'other', expires: { at: new Date(1_000) } })]),
  'expiry.over': ({ driver }) => driver.expiry.over({ except: [] }),
  'expiry.cancel': async ({ driver }) =>
    driver.expiry.cancel(await driver.expiry.over({ except: [] }), { code: 'E', message: 'over' }, 'test'),
  'followers.admit': ({ driver }) => driver.followers.admit({ beyond: randomUUID() }),
  'history.prune': ({ driver }) => driver.history.prune([999n], 1),
  'history.takePruneTurn': ({ driver }) => driver.history.takePruneTurn('1', 1),
  'history.report': ({ driver }) => driver.history.report('1', { tallies: [], running: [], runningIds: [] }),
  'history.tallies': ({ driver }) =>
    driver.history.tallies({ minutes: 1, step: 1, queue: null, kind: null, byLane: false }),
  'schedules.set': ({ driver }) => driver.schedules.set([EVERY], 'test'),
  'schedules.find': ({ driver }) => driver.schedules.find({ beyond: '' }),
  'schedules.due': ({ driver }) => driver.schedules.due([], 10),
  'schedules.fire': ({ driver }) =>
    driver.schedules.fire([
      { ...EVERY, at: 0, nextAt: 0, tickAt: 0, jobs: [EVERY.plan.job], wakeUps: [{ queue: 'q' }] },
    ]),
  'schedules.noteBroken': ({ driver }) =>
    driver.schedules.noteBroken({ name: 'every', at: 0, fingerprint: 'one' }, 'why'),
  'schedules.pause': ({ driver }) => driver.schedules.pause('every', 'test'),
  'schedules.resume': ({ driver }) => driver.schedules.resume('every', 'one', 0),
  'schedules.remove': ({ driver }) => driver.schedules.remove('every'),
  'captures.sql': ({ rowlock }) => rowlock.captures.sql(),
  'captures.check': ({ rowlock }) => rowlock.captures.check(),
  'captures.states': ({ driver }) => driver.captures?.states([Captured.plan]) ?? Promise.resolve(),
  'captures.backfill': ({ rowlock }) => rowlock.captures.backfill('captured'),
  'captures.drop': ({ rowlock }) => rowlock.captures.drop(),
  'captures.apply': ({ rowlock }) => rowlock.captures.apply(),
  'insight.facts': async ({ driver }) => driver.insight?.facts({ queue: 'there', limit: 10, after: {} }),
  'insight.facts of jobs': async ({ driver, publicId }) =>
    driver.insight?.facts({ publicIds: [publicId], mostBefore: 10, after: {}, served: {} }),
  'insight.backlog': async ({ driver }) => driver.insight?.backlog(10),
  'insight.runs': async ({ driver, publicId }) => driver.insight?.runs({ publicId }),
  'audit.note': ({ driver }) => driver.audit.note(ENTRY),
  'audit.note of an entry': ({ driver }) => driver.audit.note(ENTRY, '1'),
  'audit.list': ({ driver }) => driver.audit.list(AUDIT_PAGE),
  'audit.prune': ({ driver }) => driver.audit.prune(1_000),
  'schema.empty': ({ driver }) => driver.schema.empty(),
};

const JOINED: Called<VerbsOf<Joined>, (joined: Joined, target: Target) => Promise<unknown>> = {
  'jobs.enqueue': ({ jobs }) => jobs.enqueue([newJob({ queue: 'other' })], [{ queue: 'q' }]),
  'jobs.enqueue of several': ({ jobs }) => jobs.enqueue([unique(), newJob({ queue: 'other' })]),
  'jobs.uniqueJobs': ({ jobs }) => jobs.uniqueJobs('k', ['one']),
  'jobs.list': ({ jobs }) => jobs.list({ status: ['new'] }, PAGE),
  'jobs.entries': ({ jobs }) => jobs.entries({}, PAGE),
  'jobs.count': ({ jobs }) => jobs.count({}, PAGE),
  'jobs.move': ({ jobs }, { publicId }) => jobs.move('cancel', [publicId]),
  'jobs.update': ({ jobs }, { publicId }) => jobs.update(publicId, update),
  'workers.notify': ({ workers }) => workers.notify([{ queue: 'q' }]),
  'admission.set': ({ admission }) => admission.set('mail', { max: 3 }, 'test'),
  'admission.pauses': ({ admission }) => admission.pauses(),
  'admission.pause': ({ admission }) =>
    admission.pause({ scope: 'queue', name: 'no', until: null, reason: null, by: 'test' }),
  'admission.resume': ({ admission }) => admission.resume({ scope: 'queue', name: 'no' }),
  'history.prune': ({ history }) => history.prune([999n], 1),
  'audit.note': ({ audit }) => audit.note(ENTRY),
  'audit.note of an entry': ({ audit }) => audit.note(ENTRY, '1'),
  'schedules.find': ({ schedules }) => schedules.find({ beyond: '' }),
  'schedules.set': ({ schedules }) => schedules.set([EVERY], 'test'),
  'schedules.pause': ({ schedules }) => schedules.pause('every', 'test'),
  'schedules.resume': ({ schedules }) => schedules.resume('every', 'one', 0),
  'schedules.remove': ({ schedules }) => schedules.remove('every'),
};

type Step = (session: ClaimSession<unknown>, run: RunStart, driver: Driver) => Promise<unknown>;

const FROM_THE_START = { priority: -32_768, id: 0n };

const ending = ({ runId, jobs }: RunStart): readonly Settlement[] =>
  jobs.map(({ id }) => ({
    id,
    runId,
    event: 'retry',
    attempt: 0,
    crashes: 0,
    delayMs: 0,
    tookMs: 1,
    output: null,
    error: null,
    by: 'test',
  }));

const HELD: readonly Step[] = [
  (session) => session.lockSiblings({ queue: 'claimed', keys: ['key'] }, 10),
  (session) => session.firstOutstanding({ key: 'key', kinds: ['first'], before: 1n, except: [] }),
  (session) => session.confirm(),
  (_, run, driver) => driver.claims.startRuns([run], []).visible,
  (_, run, driver) => driver.claims.startRuns([run], []).durable(),
  (session) => session.renew(),
  (session) => session.undo(),
  (session, run) => session.finish(ending(run)),
  (session) => session.rollback(),
  (_, run, driver) => driver.claims.startRuns([{ ...run, runId: randomUUID() }], [run.runId]).visible,
];

const LEASED: readonly Step[] = [
  (session, { runId, jobs }) =>
    session.lease(
      runId,
      jobs.map(({ id }) => id),
      1,
    ),
  (session, { runId, jobs }) =>
    session.lockLeased(
      runId,
      jobs.map(({ id }) => id),
      true,
    ),
  (session, { runId }) => session.leaveLimits(runId),
  (session, run) => session.settle(ending(run)),
  async (session, _, driver) => {
    await session.renew();
    await driver.join(session.handle).jobs.enqueue([newJob({ queue: 'other' })], [{ queue: 'q' }]);
  },
  (session) => session.commit(),
  (_, __, driver) => driver.claims.reclaim({ queues: ['claimed'], dead: ['1'] }),
];

const LIMITED: readonly Step[] = [
  (session) => session.rollback(),
  (session) => session.enterLimits(MAIL),
  (session) => session.rollback(),
];

/** Lets a session claim a job and do these verbs, each also after the failure of another. @returns the errors */
async function session(driver: Driver, steps: readonly Step[]): Promise<readonly unknown[]> {
  const claims = driver.claims.session({ idleLimitMs: 60_000 });
  const errors: unknown[] = [];
  try {
    const criteria = { queue: 'claimed', kinds: ['k'], line: FROM_THE_START, busy: [], limit: 1 };
    // The server gives back the claim of a connection a moment after it was cut.
    const jobs = await until('the job is free', async () => {
      await driver.claims.reclaim({ queues: ['claimed'], dead: ['1'] });
      const claimed = await claims.claim(criteria);
      return claimed.length > 0 && claimed;
    });
    const run = { runId: randomUUID(), workerId: '1', jobs };
    for (const step of steps) await step(claims, run, driver).catch((error: unknown) => errors.push(error));
    return errors;
  } finally {
    await claims.rollback();
  }
}
