// What the screenshots show: nothing, a busy system with hostile and long texts, and much of everything.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock, defineHandler } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';
import pg from 'pg';
import { z } from 'zod';

const HOSTILE = '<img src=x onerror=alert(1)>"\'&amp;';
const JAPANESE = '請求書の作成と送付を行うとても長い名前の仕事';
const LONG = `${'an-address-without-a-space-'.repeat(6)}@example.com`;

const log = { debug() {}, info() {}, warn() {}, error() {} };
const gate = new AbortController();
const untilTheEnd = ({ signal }) =>
  gate.signal.aborted
    ? undefined
    : Promise.race([once(gate.signal, 'abort'), once(signal, 'abort')]).then(() => {});

const payload = z.object({ n: z.number() }).passthrough();
const mail = defineHandler({
  kind: 'mail.send',
  queue: 'mail',
  payload,
  attempts: 1,
  run: ({ job }) => {
    const { n } = job.payload;
    if (n % 11 === 0) throw coded('ETIMEDOUT', `The server 10.0.0.${n} gave no answer within ${n} ms`);
    if (n % 17 === 0) throw coded('ENOROUTE', `No route to "customer ${n}" <b>${HOSTILE}</b>`);
  },
});
const report = defineHandler({
  kind: 'report.monthly',
  queue: 'reports',
  payload,
  run: () => ({ pages: 3 }),
});
const thumbnail = defineHandler({ kind: 'thumbnail', queue: 'images', payload, run: () => sleep(5) });
const invoice = defineHandler({
  kind: 'invoice.create',
  queue: 'erp',
  payload,
  limit: { name: 'erp', max: 2 },
  run: untilTheEnd,
});
const book = defineHandler({ kind: 'book.print', queue: 'printers', payload, run: untilTheEnd });
const hostile = defineHandler({
  kind: HOSTILE,
  queue: `${HOSTILE} queue`,
  payload,
  attempts: 1,
  run: () => {
    throw coded(HOSTILE, `${HOSTILE} ${LONG}`);
  },
});
const japanese = defineHandler({
  kind: JAPANESE,
  queue: '経理部の月次締め処理',
  payload,
  attempts: 1,
  run: ({ job }) => {
    if (job.payload.n % 2 === 0)
      throw coded(
        '印刷失敗',
        `${'取引先の住所が見つからないため送付できませんでした。'.repeat(4)}番号${job.payload.n}`,
      );
  },
});
const orphan = defineHandler({ kind: 'legacy.sync', queue: 'legacy', payload, run: () => {} });

function coded(code, message) {
  return Object.assign(new Error(message), { code });
}

const jobsOf = (count, more = () => ({})) =>
  Array.from({ length: count }, (_, n) => ({ payload: { n: n + 1 }, ...more(n) }));

const SCREENS = {
  overview: '',
  jobs: '?screen=jobs',
  runs: '?screen=runs',
  errors: '?screen=errors',
  schedules: '?screen=schedules',
  limits: '?screen=limits',
  locks: '?screen=picture',
  replay: '?screen=replay',
  history: '?screen=history',
  audit: '?screen=audit',
  workers: '?screen=workers',
  'new-job': '?screen=new',
  'new-schedule': '?screen=schedule',
};

async function opened(url, handlers) {
  const rowlock = createRowlock({ driver: postgres({ connectionString: url }), handlers, log });
  await rowlock.migrate();
  return rowlock;
}

async function none(url) {
  const rowlock = await opened(url, []);
  return { rowlock, addresses: SCREENS, stop: () => rowlock.close() };
}

async function some(url) {
  const served = [mail, report, thumbnail, invoice, book, hostile, japanese];
  const rowlock = await opened(url, served);
  const workers = ['packer-1', 'packer-2', '梱包係の作業者・東京第一データセンター'].map((name) =>
    rowlock.worker({ name, concurrency: 6, version: '2.4.0-rc.1+4f2a9c1' }),
  );
  for (const worker of workers) await worker.start();
  await rowlock.enqueueMany(mail, jobsOf(240));
  await rowlock.enqueueMany(report, jobsOf(12));
  await rowlock.enqueueMany(
    thumbnail,
    jobsOf(60, (n) => ({ key: `album ${n % 7}` })),
  );
  await rowlock.enqueueMany(
    hostile,
    jobsOf(3, () => ({ key: HOSTILE })),
  );
  await rowlock.enqueueMany(
    japanese,
    jobsOf(8, () => ({ key: `${JAPANESE}・${JAPANESE}` })),
  );
  while ((await rowlock.jobs.count({ status: ['new', 'in-progress'] })).count > 0) await sleep(50);
  await rowlock.enqueueMany(invoice, jobsOf(14));
  await rowlock.enqueueMany(
    book,
    jobsOf(9, (n) => ({ key: n < 6 ? 'the long book' : `book ${n}` })),
  );
  await rowlock.enqueueMany(
    book,
    jobsOf(4, () => ({ delay: '3h' })),
  );
  await rowlock.enqueueMany(orphan, jobsOf(31));
  await rowlock.enqueueMany(
    mail,
    jobsOf(5, () => ({ delay: '20m' })),
  );
  const schedule = (handler, more) => ({ handler, payload: { n: 1 }, ...more });
  await rowlock.schedules.set(
    'reports / nightly',
    schedule(report, { cron: '0 3 * * *', timeZone: 'Europe/Berlin' }),
  );
  await rowlock.schedules.set('sync every minute', schedule(orphan, { every: '1m' }));
  await rowlock.schedules.set(
    `${JAPANESE}（毎時）`,
    schedule(japanese, { cron: '0 * * * *', timeZone: 'Asia/Tokyo' }),
  );
  const ada = rowlock.as('ada');
  await rowlock.schedules.set(HOSTILE, schedule(hostile, { every: '30d' }));
  await ada.schedules.pause(HOSTILE);
  await rowlock.schedules.run('reports / nightly');
  await ada.limits.set('maps', { starts: 100, per: '1m', burst: 5 });
  await rowlock.as(HOSTILE).limits.set(`${HOSTILE} limit`, { max: 3 });
  await ada.jobs.pause(
    { kind: 'thumbnail' },
    { reason: 'the disk is full; 担当者に連絡済み', until: new Date(Date.now() + 3_600_000) },
  );
  await rowlock.enqueueMany(thumbnail, jobsOf(7));
  await sleep(3_000);
  await history(url, ['mail.send', 'report.monthly', 'thumbnail', JAPANESE]);
  const [failed] = (await rowlock.jobs.list({ kind: JAPANESE, status: 'error' })).jobs;
  const [waiting] = (await rowlock.jobs.list({ kind: 'book.print', status: 'new' })).jobs;
  return {
    rowlock,
    addresses: {
      ...SCREENS,
      'locks-printers': '?screen=picture&queue=printers',
      'history-kind': `?screen=history&last=24h&kind=mail.send`,
      'job-failed': `?screen=job&id=${failed?.publicId}`,
      'job-waiting': `?screen=job&id=${waiting?.publicId}`,
      'job-again': `?screen=new&again=${failed?.publicId}`,
      'schedule-changed': `?${new URLSearchParams({ screen: 'schedule', name: 'reports / nightly' })}`,
      'jobs-of-an-error': `?${new URLSearchParams({ screen: 'jobs', status: 'error', kind: 'mail.send', 'error-code': 'ETIMEDOUT' })}`,
      'jobs-to-find-nothing': '?screen=jobs&kind=nothing',
      'menu-open': ['', 'Actions of the queue printers'],
      'dialog-pause': ['', 'Actions of the queue printers', 'Pause …'],
      'jobs-selected': ['?screen=jobs', /^Select job/],
      'dialog-selected': ['?screen=jobs&status=error', /^Select job/, /^Delete \d/],
      'dialog-limit': ['?screen=limits', 'Actions of the limit maps', 'Set …'],
      'dialog-new-limit': ['?screen=limits', 'Set a limit …'],
      'dialog-ticks': ['?screen=schedules', 'Actions of the schedule sync every minute', 'Times …'],
      'dialog-change': [`?screen=job&id=${waiting?.publicId}`, 'Change …'],
    },
    async stop() {
      gate.abort();
      for (const worker of workers) await worker.stop({ drain: 0 });
      await rowlock.close();
    },
  };
}

async function many(url, jobs) {
  const handlers = Array.from({ length: 60 }, (_, n) =>
    defineHandler({
      kind: `kind.number.${n}`,
      queue: `queue-${n % 12}`,
      payload,
      attempts: 1,
      run: ({ job }) => {
        if (job.payload.n % 5 === 0)
          throw coded(`E${n}`, `Of kind ${'abcdefghij'.charAt(n % 10)}${'klmnopqrst'.charAt(n / 6)}`);
      },
    }),
  );
  const rowlock = await opened(url, handlers);
  const workers = Array.from({ length: 12 }, (_, n) =>
    rowlock.worker({ name: `worker-${n}`, concurrency: 2 }),
  );
  for (const handler of handlers) await rowlock.enqueueMany(handler, jobsOf(6));
  for (const worker of workers) await worker.start();
  while ((await rowlock.jobs.count({ status: ['new', 'in-progress'] })).count > 0) await sleep(50);
  await copies(url, jobs);
  for (const worker of workers.slice(0, 9)) await worker.stop();
  await rowlock.as('ada').jobs.pause('all', { reason: 'a deploy' });
  await manyNames(rowlock, handlers);
  for (const [n, handler] of handlers.entries())
    await rowlock.enqueueMany(
      handler,
      jobsOf(n === 7 ? 2_500 : 5 * n, (place) => ({
        key: place % 2 === 0 ? `key ${place % 50}` : undefined,
      })),
    );
  await history(
    url,
    handlers.slice(0, 20).map(({ kind }) => kind),
  );
  return {
    rowlock,
    addresses: { ...SCREENS, 'locks-all': '?screen=picture&queue=queue-7&limit=10000' },
    async stop() {
      for (const worker of workers.slice(9)) await worker.stop({ drain: 0 });
      await rowlock.close();
    },
  };
}

async function copies(url, jobs) {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'rowlock' AND table_name = 'job' AND is_identity = 'NO' AND is_generated = 'NEVER' AND column_name <> 'public_id'",
  );
  const names = rows.map(({ name }) => `"${name}"`).join(', ');
  await client.query(
    `INSERT INTO rowlock.job (public_id, ${names}) SELECT gen_random_uuid(), ${names} FROM (SELECT * FROM rowlock.job WHERE status = 'complete' LIMIT 1) AS one, generate_series(1, $1)`,
    [jobs],
  );
  await client.query('ANALYZE rowlock.job');
  await client.end();
}

/** Names of everything, as long as some are. */
async function manyNames(rowlock, handlers) {
  for (const [n, handler] of handlers.entries()) {
    await rowlock.schedules.set(`schedule ${n}`, { handler, payload: { n }, every: `${n + 1}h` });
    await rowlock.as(`operator ${n % 5}`).limits.set(`limit ${n}`, { max: n + 1 });
  }
}

/** A day of sums, so that charts have something to draw. */
async function history(url, kinds) {
  const client = new pg.Client(url);
  await client.connect();
  for (const [n, kind] of kinds.entries())
    await client.query(
      `INSERT INTO rowlock.tally (minute, queue, kind, completed, failed, cancelled, retried, waits, runs)
       SELECT date_trunc('minute', now()) - m * interval '1 minute', one.queue, $1,
         (40 + 30 * sin(m / 40.0 + $2) + 12 * random())::int / ($2 + 1), CASE WHEN m % 97 < 6 THEN (random() * 9)::int ELSE 0 END, 0, (random() * 2)::int,
         (SELECT array_agg(CASE WHEN i BETWEEN 8 AND 11 + m % 3 THEN 5 ELSE 0 END ORDER BY i) FROM generate_series(1, array_length(one.waits, 1)) AS i),
         (SELECT array_agg(CASE WHEN i BETWEEN 10 AND 13 + m % 2 THEN 5 ELSE 0 END ORDER BY i) FROM generate_series(1, array_length(one.runs, 1)) AS i)
       FROM generate_series(2, 1440) AS m, (SELECT queue, waits, runs FROM rowlock.tally WHERE kind = $1 LIMIT 1) AS one
       ON CONFLICT DO NOTHING`,
      [kind, n],
    );
  await client.end();
}

export const STATES = { none, some, many };
