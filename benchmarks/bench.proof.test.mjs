import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { freshDatabase } from '@rowlock/servers';
import { expect, inject, test } from 'vitest';
import { bench, failures } from './bench.mjs';
import { Checkout, HERE } from './checkout.mjs';
import { connect } from './connect.mjs';
import { account } from './hardbyte/account.mjs';
import { readPhaseOptions } from './hardbyte/options.mjs';
import { brokenPhases, Play } from './hardbyte/play.mjs';
import { Latencies } from './hardbyte/rowlock-bench/latencies.mjs';
import { open as openAdapter } from './hardbyte/rowlock-bench/rowlock.mjs';
import { readOptions } from './options.mjs';
import { Subject } from './subjects.mjs';
import { inTwoSizes } from './two-sizes.mjs';

/** A net: beside other tests' loads a benchmark takes minutes. */
const MEASURING = { timeout: 600_000 };

test('the quick form measures Rowlock and bare SQL', MEASURING, async () => {
  process.env.TEST_POSTGRES_URL = inject('postgresUrl');
  const { measures, servers } = await bench(
    readOptions(['drain', 'burst', 'latency', '--quick', '--postgres']),
  );
  expect(failures({ measures })).toEqual([]);
  // The server of the tests flushes nothing, and it is said.
  expect(servers.postgres).toMatchObject({ settings: { fsync: 'off', synchronous_commit: 'on' } });
  expect(servers.postgres.problem).toContain('fsync is off');
  const [drained, burst] = [measures.drain.postgres.rows, measures.burst.postgres.rows];
  expect(drained.many.map(({ shape }) => shape)).toEqual(['5 slots', 'writes', '5 slots', 'writes']);
  // Each system of a shape has as many jobs as the others.
  expect(new Set(drained.few.map(({ metrics }) => metrics.jobs.median))).toEqual(new Set([10]));
  expect(new Set(drained.many.map(({ metrics }) => metrics.jobs.median))).toEqual(new Set([40]));
  for (const rows of [drained.many, burst.few, burst.many, measures.latency.postgres.rows]) {
    const names = new Set(rows.map(({ system }) => system));
    expect(names).toEqual(new Set(['Rowlock', 'bare SQL']));
    for (const { metrics } of rows) {
      const { serverUs, ...counted } = metrics;
      // The server of the tests is not the benchmark's own, so that its time is not counted.
      if (serverUs !== undefined) expect(serverUs.median).toBeNaN();
      for (const { median, rounds } of Object.values(counted)) {
        expect(median).toBeGreaterThan(0);
        expect(rounds).toHaveLength(1);
      }
    }
  }
});

test('a start and each further job are told apart by two sizes', async () => {
  const entry = { system: { name: 'Rowlock' }, setting: { name: 'one', shape: 'one' }, title: 'one' };
  const { apart } = await inTwoSizes('made up', [entry], 3, {
    sizesOf: () => [100, 400],
    play: ({ jobs }) => ({ jobs, fromCallMs: 50 + jobs * 2, clientUs: 10 + 1000 / jobs, serverUs: 7 }),
  });
  expect(apart[0].metrics).toMatchObject({
    'time fixedMs': { median: 50 },
    'time marginalUs': { median: 2000 },
    'client fixedMs': { median: expect.closeTo(1) },
    'client marginalUs': { median: expect.closeTo(10) },
    'server fixedMs': { median: expect.closeTo(0) },
    'server marginalUs': { median: expect.closeTo(7) },
  });
});

test('what jobs do not use is measured beside a database without it', MEASURING, async () => {
  process.env.TEST_POSTGRES_URL = inject('postgresUrl');
  const { measures } = await bench(readOptions(['cost', '--quick', '--postgres']));
  expect(failures({ measures })).toEqual([]);
  const [none, all] = measures.cost.postgres.rows;
  expect([none.has, all.has]).toEqual(['none', 'limits, schedules, captures, pauses']);
  expect(all.metrics.rate.toNone).toBeCloseTo(all.metrics.rate.median / none.metrics.rate.median);
});

test('a version is compared with another one in alternating rounds', MEASURING, async () => {
  process.env.TEST_POSTGRES_URL = inject('postgresUrl');
  const { measures } = await bench(readOptions(['compare', HERE, '--quick', '--postgres']));
  expect(failures({ measures })).toEqual([]);
  const [older, own] = measures.compare.postgres.rows;
  expect([older.version, own.version]).toEqual([HERE, 'this']);
  const rates = [older, own].map(({ metrics }) => metrics['jobs/s'].median);
  expect(own.metrics['jobs/s'].toOlder.median).toBeCloseTo(rates[1] / rates[0]);
});

test('what is neither a commit nor a folder is not compared, and leaves nothing behind', async () => {
  const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('rowlock-compare-'));
  const before = folders();
  const checkout = new Checkout('no-such-commit');
  await expect(checkout.ready).rejects.toThrow('neither a commit nor a folder with a built Rowlock');
  await checkout.remove();
  expect(folders()).toEqual(before);
});

test(
  'the adapter of the independent comparison keeps its contract, and no job is lost',
  MEASURING,
  async () => {
    const phases = ['--phase', 'clean', '--phase', 'backends', '--phase', 'worker killed'];
    const options = ['--system', 'Rowlock', '--no-peers', '--seconds', '2', '--rate', '50', '--workers', '4'];
    const play = new Play(readPhaseOptions([...options, ...phases]));
    try {
      const { rows } = await play.run();
      expect(brokenPhases(rows)).toEqual([]);
      const manifest = JSON.parse(
        readFileSync(new URL('hardbyte/rowlock-bench/adapter.json', import.meta.url), 'utf8'),
      );
      for (const { phases, counted, descriptor, metrics } of rows) {
        expect(phases.map(({ name }) => name)).toEqual(['clean', 'backends killed', 'worker killed']);
        expect(counted.acknowledged).toBeGreaterThan(0);
        expect(descriptor).toMatchObject({ kind: 'descriptor', system: manifest.system });
        expect(descriptor.event_tables).toEqual(expect.arrayContaining(manifest.event_tables));
        const percentiles = ['p50', 'p95', 'p99'].map((name) => `claim_${name}_ms`);
        for (const name of [...percentiles, 'enqueue_rate', 'completion_rate', 'queue_depth'])
          expect(metrics).toHaveProperty(name, expect.any(Number));
      }
    } finally {
      await play.close();
    }
  },
);

test('the independent count sees what is lost, doubled, stuck and run again', async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  const rowlock = await openAdapter({ url: database.url, workers: 1, batch: 1 }, () => {});
  const plain = await connect('postgres', database.url);
  try {
    await rowlock.enqueue([{ id: 'x-1', at: 0, padding: '' }]);
    await plain.ask('CREATE TABLE effect (id text NOT NULL)');
    await plain.ask("INSERT INTO effect VALUES ('x-0'), ('x-0'), ('x-20')");
    const acknowledged = new Set(['x-0', 'x-1', 'x-2', 'x-10', 'x-20']);
    const ended = ['x-0', 'x-10', 'x-20', 'x-20'].map((id) => ({ id }));
    // x-2 has no run, and x-10 has not written its row.
    expect(await account('rowlock', database.url, { acknowledged, ended }, 10)).toEqual({
      acknowledged: 5,
      lost: 2,
      doubled: 1,
      stuck: 1,
      failed: 0,
      again: 1,
    });
  } finally {
    await plain.end();
    await rowlock.stop();
    await database.drop();
  }
});

test('latencies are those of the last 30 seconds, to three figures', () => {
  const latencies = new Latencies();
  for (let ms = 1; ms <= 1000; ms++) latencies.add(ms, 5_000);
  const [p50, p99] = latencies.percentiles([0.5, 0.99], 20_000);
  expect([p50 / 500, p99 / 990]).toEqual([expect.closeTo(1, 2), expect.closeTo(1, 2)]);
  expect(latencies.percentiles([0.5], 40_000)).toEqual([0]);
});

test('the quick form measures limits', MEASURING, async () => {
  process.env.TEST_POSTGRES_URL = inject('postgresUrl');
  const { measures } = await bench(readOptions(['limits', '--quick', '--postgres']));
  const { cost, use, beside } = measures.limits.postgres.rows;
  expect(failures({ measures })).toEqual([]);
  for (const { without, with: own, ratio } of cost) {
    for (const { median } of [without, own]) expect(median).toBeGreaterThan(0);
    expect(ratio).toBeCloseTo(own.median / without.median);
  }
  const limited = use.filter(({ setting }) => setting === 'a limit of 3');
  expect(limited.map(({ isBesideFree }) => isBesideFree)).toEqual([false, true]);
  for (const { used, atOnce } of limited) {
    expect(used.median).toBeGreaterThan(0);
    expect(used.median).toBeLessThanOrEqual(1);
    expect(atOnce).toBeLessThanOrEqual(3);
  }
  expect(beside).toHaveLength(2);
  for (const { rate } of beside) expect(rate.median).toBeGreaterThan(0);
});

test('the quick form measures the looks of a dashboard', MEASURING, async () => {
  process.env.TEST_POSTGRES_URL = inject('postgresUrl');
  const { measures } = await bench(readOptions(['screens', '--quick', '--postgres']));
  expect(failures({ measures })).toEqual([]);
  const { answers, drains } = measures.screens.postgres.rows;
  expect(answers.map(({ path }) => path)).toContain('jobs/count?status=in-progress');
  for (const { p50, p95 } of answers) expect(p95).toBeGreaterThanOrEqual(p50);
  const [none, ten] = drains;
  expect(ten.ratio).toBeCloseTo(ten.rate.median / none.rate.median);
});

test('a system that hangs fails its row with a sentence, and its process ends', async () => {
  const hung = 'data:text/javascript,export const open = () => new Promise(() => {})';
  const subject = await Subject.start(hung, 100);
  await expect(subject.call('open')).rejects.toThrow('open did not end within 0.1 s.');
  await expect.poll(() => subject.isAlive).toBe(false);
  await expect(subject.call('close')).rejects.toThrow();
  await subject.end();
});

test('what is not known is refused with what there is', () => {
  expect(() => readOptions(['pickup'])).toThrow(
    'There is no pickup: choose among drain, burst, cost, latency',
  );
  expect(() => readOptions(['--fast'])).toThrow('Known options: --postgres, --mysql');
  expect(() => readOptions(['--rounds', '0'])).toThrow('--rounds takes a number from 1 to');
  expect(() => readOptions(['--rounds', '2.5'])).toThrow('--rounds takes a whole number, not 2.5');
  expect(() => readOptions(['--system', 'grapile'])).toThrow(
    /no system grapile: choose among bare SQL, Rowlock/,
  );
  expect(() => readOptions(['compare'])).toThrow('compare takes one commit');
  expect(() => readOptions(['compare', 'a781dd3', 'drain'])).toThrow('compare takes one commit');
  expect(readOptions(['--system', 'Graphile']).systems).toEqual(['graphile']);
});

test('that a peer could not be measured is no failure, and that Rowlock could not be is one', () => {
  const measures = {
    drain: {
      postgres: {
        rows: [
          { system: 'Rowlock', problem: 'It hangs.', isPeer: false },
          { system: 'BullMQ', problem: 'It is not here.', isPeer: true },
          { system: 'bare SQL', problem: null, isPeer: false },
        ],
      },
      mysql: { problem: 'mysql did not start' },
    },
    scale: {
      postgres: { rows: { cost: [{ title: 'Rowlock, empty', problem: 'It is slow.' }], states: [] } },
    },
  };
  expect(failures({ measures })).toEqual([
    'drain on postgres, Rowlock: It hangs.',
    'scale on postgres, Rowlock, empty: It is slow.',
  ]);
});
