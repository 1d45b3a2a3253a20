import { once } from 'node:events';
import { createRowlock, type Driver, defineHandler, type Rowlock } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { type FreshDatabase, freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import type { AuditEntry } from '@rowlock/core/types';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { createDashboard, type Dashboard, type NamedGrant } from '../src/index.js';
import { ROUTES } from '../src/routes/routes.js';

/** A row of a job, as the database has it. */
interface Row {
  readonly public_id: string;
  readonly queue: string;
  readonly kind: string;
}

const JOBS = 'SELECT * FROM {} ORDER BY 1, 2';

const SERVERS = {
  Postgres: {
    fresh: () => freshDatabase(inject('postgresUrl')),
    driver: (connectionString: string): Driver => postgres({ connectionString }),
    async rows(url: string, table: string): Promise<readonly Row[]> {
      const client = new pg.Client(url);
      await client.connect();
      const { rows } = await client.query<Row>(JOBS.replace('{}', `rowlock.${table}`));
      await client.end();
      return rows;
    },
  },
  MySQL: {
    fresh: () => freshMysqlDatabase(inject('mysqlUrl')),
    driver: (uri: string): Driver => mysql({ uri }),
    async rows(url: string, table: string): Promise<readonly Row[]> {
      const connection = await createConnection(url);
      const [rows] = await connection.query<(Row & RowDataPacket)[]>(JOBS.replace('{}', `rowlock_${table}`));
      await connection.end();
      return rows;
    },
  },
};

const payload = z.object({ to: z.string() });
const fail = ({ job }: { readonly job: { readonly payload: { readonly to: string } } }): never => {
  const { to } = job.payload;
  throw Object.assign(new Error(`no route to ${to}`), { code: `E_${to.toUpperCase()}` });
};
const AnnSend = defineHandler({ kind: 'ann.send', queue: 'ann', payload, attempts: 1, run: fail });
const BillSend = defineHandler({ kind: 'bill.send', queue: 'bill', payload, attempts: 1, run: fail });
const Letter = defineHandler({ kind: 'letter', queue: 'ann', payload, run: () => {} });
/** Nobody serves these. */
const AnnWait = { kind: 'ann.wait', queue: 'ann', payload };
const BillWait = { kind: 'bill.wait', queue: 'bill', payload };
const printer = { name: 'printer', max: 1 } as const;
const AnnPrint = defineHandler({
  ...{ kind: 'ann.print', queue: 'ann', payload, limit: printer },
  run: () => {},
});
let printing = Promise.withResolvers<void>();
const BillPrint = defineHandler({
  ...{ kind: 'bill.print', queue: 'bill', payload, limit: printer, timeout: '1h' },
  run: async ({ signal }) => {
    printing.resolve();
    await once(signal, 'abort');
  },
});

/** Of Ann sees the first one by her queue, and the second by her kind. What is Bill's says so in each of its names. */
const VIEWERS = {
  queue: { can: ['operator', 'enqueue'], name: 'ann', queues: ['ann'] },
  kind: { can: ['operator', 'enqueue'], name: 'ann', kinds: ['ann.send', 'ann.wait', 'ann.print'] },
  root: { can: ['operator', 'enqueue'], name: 'root' },
} as const satisfies Record<string, NamedGrant>;

/** What none of these may meet: names of others, also where a collation would find them. */
const HIDDEN = { queue: /[Bb][Ii][Ll][Ll]|common|"ANN"/, kind: /bill|letter/i };

interface Two {
  readonly rowlock: Rowlock;
  readonly dashboard: Dashboard;
  readonly url: string;
  /** Jobs by what they are for. */
  readonly ids: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Settles so many jobs by a worker that has reported what it did when this resolves. */
async function work(rowlock: Rowlock, name: string, jobs: number): Promise<void> {
  const worker = rowlock.worker({ name });
  const settled = Promise.withResolvers<void>();
  let left = jobs;
  worker.on('settled', (_, endings) => {
    left -= endings.size;
    if (left === 0) settled.resolve();
  });
  await worker.start();
  await settled.promise;
  await worker.stop();
}

/** A database of two tenants, with all that the page shows. */
async function twoTenants({ fresh, driver }: (typeof SERVERS)[keyof typeof SERVERS]): Promise<Two> {
  printing = Promise.withResolvers();
  const database: FreshDatabase = await fresh();
  const { url } = database;
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const all = [AnnSend, BillSend, Letter, AnnPrint, BillPrint];
  const rowlock = createRowlock({ driver: driver(url), handlers: all, log });
  await rowlock.migrate();
  const add = async (handler: Parameters<typeof rowlock.enqueue>[0], to: string, options = {}) =>
    (await rowlock.enqueue(handler, { payload: { to }, ...options })).publicId;
  const ids: Record<string, string> = {};
  for (const n of [1, 2]) ids[`ann failed ${n}`] = await add(AnnSend, 'ann', { key: 'ann-key' });
  for (const n of [1, 2, 3, 4, 5]) ids[`bill failed ${n}`] = await add(BillSend, 'bill', { key: 'bill-key' });
  ids['bill prints'] = await add(BillPrint, 'bill');
  const of = (...handlers: typeof all): Rowlock => createRowlock({ driver: driver(url), handlers, log });
  const others = [of(AnnSend), of(BillSend), of(AnnSend, AnnPrint), of(BillPrint)] as const;
  await Promise.all([work(others[0], 'ann-old', 2), work(others[1], 'bill-old', 5)]);
  const workers = [others[2].worker({ name: 'ann-worker' }), others[3].worker({ name: 'bill-worker' })];
  for (const worker of workers) await worker.start();
  await printing.promise;
  ids['ann prints'] = await add(AnnPrint, 'ann');
  ids['bill waits'] = await add(BillWait, 'bill', { key: 'bill-key' });
  ids['ann waits'] = await add(AnnWait, 'ann', { key: 'ann-key' });
  ids['ann later'] = await add(AnnWait, 'ann', { delay: '1h' });
  ids['ann follows'] = await add(AnnWait, 'ann', { after: [ids['bill waits']] });
  ids['bill in common'] = await add({ ...BillWait, queue: 'common' }, 'bill', { key: 'both' });
  ids['ann in common'] = await add({ ...AnnWait, queue: 'common' }, 'ann', { key: 'both' });
  ids['of ANN'] = await add({ ...BillWait, queue: 'ANN' }, 'bill');
  ids['letter of bill'] = await add({ ...Letter, queue: 'bill' }, 'bill', { unique: 'same' });
  for (const [name, handler] of Object.entries({ ann: AnnSend, bill: BillSend })) {
    const by = rowlock.as(`${name}-operator`);
    await by.schedules.set(`${name}.nightly`, { handler, payload: { to: name }, cron: '0 3 1 1 *' });
    await by.jobs.pause({ queue: name }, { reason: `${name} is away` });
    await by.jobs.pause({ kind: `${name}.wait` }, { reason: `${name} waits` });
    await by.jobs.cancelMany({ queue: name, key: 'none' });
    await by
      .redrive((await by.enqueue({ ...handler, queue: name }, { payload: { to: name } })).publicId)
      .catch(() => {});
    await by.limits.set(`${name}.limit`, { max: 2 });
    await by.errors.note('E_ANN 1', `${name} looks at it`);
  }
  await rowlock.as('bill-operator').jobs.pause({ limit: 'bill.limit' });
  const dashboard = createDashboard({
    rowlock,
    access: ({ headers }) => Object(VIEWERS)[headers.get('x-viewer') ?? ''] ?? null,
    log: { error: (fields) => expect(fields).toBeUndefined() },
  });
  return {
    ...{ rowlock, dashboard, url, ids },
    async stop() {
      dashboard.close();
      for (const worker of workers) await worker.stop({ drain: 0 });
      for (const each of [rowlock, ...others]) await each.close();
      await database.drop();
    },
  };
}

type Viewer = keyof typeof VIEWERS;

/** What is read, also by whoever tries to see what is Bill's. */
const READS: readonly (readonly [call: string, statusOf: Readonly<Partial<Record<Viewer, number>>>])[] = [
  ['session', {}],
  ['overview', {}],
  ['captures', {}],
  ['jobs', {}],
  ['jobs?order=oldest', {}],
  ['jobs?queue=bill', {}],
  ['jobs?queue=ANN', {}],
  ['jobs?kind=bill.send&kind=ann.send', {}],
  ['jobs?key=bill-key', {}],
  ['jobs?status=error', {}],
  ['jobs?status=new&status=in-progress', {}],
  ['jobs?id={bill waits}&id={ann waits}', {}],
  ['jobs/count', {}],
  ['jobs/count?kind=bill.send', {}],
  ['job?id={ann prints}', {}],
  ['job?id={ann waits}', {}],
  ['job?id={ann follows}', {}],
  ['job?id={ann failed 1}', {}],
  ['job?id={ann in common}', { queue: 404 }],
  ['job?id={bill waits}', { queue: 404, kind: 404 }],
  ['job?id={bill failed 1}', { queue: 404, kind: 404 }],
  ['job?id={of ANN}', { queue: 404, kind: 404 }],
  ['kinds', {}],
  ['errors', {}],
  ['errors?kind=bill.send', {}],
  ['picture?queue=ann', { kind: 403 }],
  ['picture?queue=bill', { queue: 403, kind: 403 }],
  ['picture?queue=ANN', { queue: 403, kind: 403 }],
  ['runs', {}],
  ['runs?queue=bill', {}],
  ['runs?worker=bill-worker', {}],
  ['trend', {}],
  ['trend?queue=bill', { queue: 403 }],
  ['trend?kind=bill.send', { kind: 403 }],
  ['events', {}],
  ['audit', {}],
  ['audit?scope=queue&name=bill', {}],
  ['audit?scope=limit', {}],
  ['schedules', {}],
  ['schedules/preview?name=ann.nightly', {}],
  ['schedules/preview?name=bill.nightly', { queue: 404, kind: 404 }],
  ['schedules/preview?cron=0 3 * * *', {}],
  ['schedules/ticks?name=ann.nightly', {}],
  ['schedules/ticks?name=bill.nightly', { queue: 404, kind: 404 }],
  ['limits', { queue: 403, kind: 403 }],
];

const times = { cron: '0 3 1 1 *', priority: 0 };

/** What a viewer of Ann's queue tries with what is Bill's, and the answer. */
const ATTEMPTS: readonly (readonly [call: string, body: object, status: number])[] = [
  ['jobs/cancel', { filter: 'queue=bill' }, 200],
  ['jobs/cancel', { filter: 'key=bill-key' }, 200],
  ['jobs/cancel', { filter: 'id={bill waits}' }, 200],
  ['jobs/cancel', { filter: '' }, 200],
  ['jobs/redrive', { filter: 'kind=bill.send' }, 200],
  ['jobs/redrive', { filter: 'queue=ANN&kind=bill.wait' }, 200],
  ['jobs/delete', { filter: 'kind=bill.send' }, 200],
  ['jobs/run', { filter: 'kind=bill.wait' }, 200],
  ['jobs/run', { filter: '' }, 200],
  ['jobs/move', { filter: 'queue=bill', queue: 'ann' }, 200],
  ['jobs/move', { filter: 'queue=ann', queue: 'bill' }, 200],
  ['job/cancel', { id: '{bill waits}' }, 404],
  ['job/cancel', { id: '{of ANN}' }, 404],
  ['job/redrive', { id: '{bill failed 1}' }, 404],
  ['job/update', { id: '{bill waits}', priority: 9 }, 404],
  ['enqueue', { kind: 'bill.send', payload: { to: 'ann' } }, 404],
  ['enqueue', { again: '{bill failed 1}' }, 404],
  ['enqueue', { kind: 'letter', payload: { to: 'ann' }, unique: 'same' }, 409],
  ['pause', { scope: 'queue', name: 'bill' }, 403],
  ['pause', { scope: 'queue', name: 'ANN' }, 403],
  ['pause', { scope: 'kind', name: 'ann.send' }, 403],
  ['pause', { scope: 'limit', name: 'printer' }, 403],
  ['pause', { scope: 'all' }, 403],
  ['resume', { scope: 'queue', name: 'bill' }, 403],
  ['resume', { scope: 'all' }, 403],
  ['schedules/set', { name: 'new', kind: 'bill.send', payload: { to: 'ann' }, ...times }, 404],
  ['schedules/set', { name: 'bill.nightly', kind: 'ann.send', payload: { to: 'ann' }, ...times }, 409],
  ['schedules/set', { name: 'bill.nightly', updatedAt: new Date(0), payload: { to: 'ann' }, ...times }, 404],
  ['schedules/run', { name: 'bill.nightly' }, 404],
  ['schedules/pause', { name: 'bill.nightly' }, 404],
  ['schedules/resume', { name: 'bill.nightly' }, 404],
  ['schedules/remove', { name: 'bill.nightly' }, 404],
  ['limits/set', { name: 'bill.limit', max: 9 }, 403],
  ['limits/reset', { name: 'bill.limit' }, 403],
  ['errors/mute', { id: 'E_BILL 1' }, 403],
  ['errors/unmute', { id: 'E_BILL 1' }, 403],
  ['errors/note', { id: 'E_BILL 1', text: 'mine' }, 403],
];

/** The same with what is Ann's. */
const OWN: typeof ATTEMPTS = [
  ['job/update', { id: '{ann waits}', priority: 9 }, 200],
  ['job/cancel', { id: '{ann waits}' }, 200],
  ['job/redrive', { id: '{ann waits}' }, 200],
  ['jobs/run', { filter: 'kind=ann.wait' }, 200],
  ['jobs/move', { filter: 'kind=ann.wait', queue: 'ann' }, 200],
  ['jobs/cancel', { filter: 'status=new&kind=ann.wait' }, 200],
  ['jobs/redrive', { filter: 'kind=ann.wait&status=cancelled' }, 200],
  ['jobs/delete', { filter: 'status=error' }, 200],
  ['enqueue', { kind: 'ann.send', payload: { to: 'ann' } }, 200],
  ['pause', { scope: 'queue', name: 'ann' }, 200],
  ['resume', { scope: 'queue', name: 'ann' }, 200],
  ['schedules/set', { name: 'ann.hourly', kind: 'ann.send', payload: { to: 'ann' }, ...times }, 200],
  ['schedules/run', { name: 'ann.hourly' }, 200],
  ['schedules/pause', { name: 'ann.hourly' }, 200],
  ['schedules/resume', { name: 'ann.hourly' }, 200],
  ['schedules/remove', { name: 'ann.hourly' }, 200],
];

const TABLES = ['job', 'schedule', 'pause', 'limit_setting'];

test('each call of the page is tried', () => {
  const tried = [
    ...READS.map(([call]) => `GET ${call.split('?')[0]}`),
    ...ATTEMPTS.map(([call]) => `POST ${call}`),
  ];
  expect([...new Set(tried)].sort()).toEqual(Object.keys(ROUTES).sort());
});

describe.each(Object.entries(SERVERS))('on %s', (_, server) => {
  let two: Two;
  beforeAll(async () => {
    two = await twoTenants(server);
  });
  afterAll(() => two?.stop());

  const named = (text: string): string => text.replace(/\{([\w ]+)\}/g, (_, name) => two.ids[name] ?? '?');

  const ask = (viewer: Viewer, call: string, init: RequestInit = {}): Promise<Response> =>
    two.dashboard.fetch(
      new Request(`http://host.example/api/${named(call)}`, {
        ...init,
        headers: { 'x-viewer': viewer, 'content-type': 'application/json' },
      }),
    );

  const change = (viewer: Viewer, call: string, body: object): Promise<Response> =>
    ask(viewer, call, { method: 'POST', body: named(JSON.stringify(body)) });

  /** The ids of what the viewer may not see, by the rows of the database. */
  async function hiddenFrom(viewer: Viewer): Promise<readonly string[]> {
    const { queues, kinds }: NamedGrant = VIEWERS[viewer];
    const isOwn = ({ queue, kind }: Row) =>
      (queues?.includes(queue) ?? true) && (kinds?.includes(kind) ?? true);
    return (await server.rows(two.url, 'job')).filter((row) => !isOwn(row)).map((row) => row.public_id);
  }

  test.each(['queue', 'kind'] as const)(
    'a viewer by %s meets nothing of others in any answer',
    async (viewer) => {
      const hidden = await hiddenFrom(viewer);
      expect(hidden.length).toBeGreaterThan(8);
      for (const [call, { [viewer]: status = 200 }] of READS) {
        // What others have just looked at is not what this viewer gets.
        expect((await ask('root', call)).status, call).toBe(200);
        const response = await ask(viewer, call);
        const text = await response.text();
        expect(response.status, `${call}: ${text}`).toBe(status);
        const asked = new URLSearchParams(named(call).split('?')[1]);
        const unasked = [...asked.values()].reduce((left, value) => left.replaceAll(value, ''), text);
        expect(unasked, call).not.toMatch(HIDDEN[viewer]);
        for (const id of hidden) expect(unasked, call).not.toContain(id);
      }
    },
  );

  const read = async (viewer: Viewer, call: string) => JSON.parse(await (await ask(viewer, call)).text());

  test('the numbers are those of the scope', async () => {
    const rows = await server.rows(two.url, 'job');
    const own = rows.filter(({ queue }) => queue === 'ann').length;
    expect(await read('queue', 'jobs/count')).toEqual({ count: own, more: false });
    expect(await read('root', 'jobs/count')).toEqual({ count: rows.length, more: false });
    const { lanes, workers, pauses } = await read('queue', 'overview');
    expect([...new Set(lanes.map(({ queue }: Row) => queue))]).toEqual(['ann']);
    expect(workers.map(({ name }: { readonly name: string }) => name).sort()).toEqual([
      'ann-old',
      'ann-worker',
    ]);
    expect(pauses.map(({ name }: { readonly name: string }) => name)).toEqual(['ann.wait', 'ann']);
    expect((await read('queue', 'errors')).groups).toMatchObject([{ code: 'E_ANN', jobs: 2 }]);
    const settled = async (viewer: Viewer): Promise<number> =>
      (await read(viewer, 'trend')).points.reduce(
        (sum: number, each: { failed: number }) => sum + each.failed,
        0,
      );
    expect([await settled('queue'), await settled('kind'), await settled('root')]).toEqual([2, 2, 7]);
    expect(await read('queue', 'kinds')).toMatchObject([
      { kind: 'ann.print' },
      { kind: 'ann.send' },
      { kind: 'letter' },
    ]);
  });

  test('why a job waits is said without the jobs of others', async () => {
    const texts = async (viewer: Viewer, call: string): Promise<readonly string[]> =>
      (await read(viewer, call)).explanation.reasons.map(({ text }: { readonly text: string }) => text);
    expect(await texts('root', 'job?id={ann follows}')).toContainEqual(expect.stringContaining('bill.wait'));
    expect(await texts('queue', 'job?id={ann follows}')).toContain('It waits for the end of other jobs.');
    expect(await texts('queue', 'job?id={ann prints}')).toContain(
      'All slots of the limit "printer" are taken.',
    );
    expect(await texts('kind', 'job?id={ann in common}')).toContain(
      'An earlier job has the same key "both" and goes first.',
    );
  });

  test('what is not in the scope cannot be changed', async () => {
    const dump = () => Promise.all(TABLES.map((table) => server.rows(two.url, table)));
    const before = await dump();
    for (const [call, body, status] of ATTEMPTS) {
      const response = await change('queue', call, body);
      const text = await response.text();
      expect(response.status, `${call} ${JSON.stringify(body)}: ${text}`).toBe(status);
      if (status === 200) expect(text).toMatch(/"found":0|one condition|need the permission/);
    }
    expect(await dump()).toEqual(before);
  });

  test('what is in it can be, and nothing else is changed', async () => {
    const others = async () => (await server.rows(two.url, 'job')).filter(({ queue }) => queue !== 'ann');
    const before = await others();
    for (const [call, body, status] of OWN) {
      const response = await change('queue', call, body);
      const text = await response.text();
      expect(response.status, `${call}: ${text}`).toBe(status);
      if (call.startsWith('jobs/')) expect(text, call).toMatch(/"changed":[1-9]/);
    }
    expect(await others()).toEqual(before);
    const { entries } = await read('queue', 'audit?by=ann');
    expect(entries.map(({ action, scope }: AuditEntry) => `${action} ${scope}`).reverse()).toEqual([
      ...[
        'update job',
        'cancel job',
        'redrive job',
        'update jobs',
        'update jobs',
        'cancel jobs',
        'redrive jobs',
        'delete jobs',
      ],
      ...['enqueue job', 'pause queue', 'resume queue', 'set schedule'],
    ]);
  });
});
