import {
  capturedJob,
  defineCapture,
  defineHandler,
  definePlugin,
  type Rowlock,
  type RunContext,
} from '@rowlock/core';
import type { CaptureCheck } from '@rowlock/core/types';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { capturedTable } from '../captured-table.js';
import { HandClock } from '../hand-clock.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { gate, until, within } from '../until.js';
import { AnyJson, clientOf, startWorker } from '../worker-process.js';

const change = (op: string, id: number, more: object = {}) => ({
  key: String(id),
  op,
  id: { id: String(id) },
  ...more,
});

export const captures = theme('captures', (test) => {
  test('each insert, update and delete of a row becomes a job', async (stage) => {
    const table = await capturedTable(stage);
    if (table === undefined) return;
    await table.exec("INSERT INTO % (id, note) VALUES (1, 'a'), (2, 'b')");
    await table.exec("UPDATE % SET note = 'c' WHERE id = 2");
    await table.exec('DELETE FROM % WHERE id = 1');
    expect(await table.changes()).toEqual([
      change('insert', 1),
      change('insert', 2),
      change('update', 2),
      change('delete', 1),
    ]);
  });

  test('a captured job is like one that was enqueued', async (stage) => {
    const { queue, newJob, driver, row } = stage;
    const table = await capturedTable(stage, [
      {
        priority: 3,
        attempts: 7,
        limit: [
          { name: 'a', max: 2 },
          { name: 'b', starts: 5, per: '1s' },
        ],
      },
    ]);
    if (table === undefined) return;
    const limits = '{"a":2,"b":[5,1000,1]}';
    const [like] = await driver.jobs.enqueue([newJob({ key: '1', priority: 3, maxAttempts: 7, limits })]);
    if (like === undefined) throw new Error('There is no job to compare with.');
    await table.exec('INSERT INTO % (id) VALUES (1)');
    const [, job] = await table.jobs();
    const { id, publicId, payload, createdBy, createdAt, availableAt, ...same } = await row(like);
    expect(job).toMatchObject(same);
    expect(job?.publicId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(job?.createdBy).toBe(`capture ${table.captures[0]?.name}`);
    expect(job?.availableAt.getTime()).toBeLessThanOrEqual((await stage.reader.now()).getTime());
    expect(job?.queue).toBe(queue);
  });

  test('a change that is rolled back leaves no job, and one that is committed does', async (stage) => {
    const table = await capturedTable(stage);
    if (table === undefined) return;
    const undone = await stage.caller();
    await stage.database.run(undone.tx, `INSERT INTO ${table.name} (id) VALUES (1)`);
    expect(await table.jobs()).toEqual([]);
    await undone.rollback();
    const done = await stage.caller();
    await stage.database.run(done.tx, `INSERT INTO ${table.name} (id) VALUES (2)`);
    await done.commit();
    expect(await table.changes()).toEqual([change('insert', 2)]);
  });

  test('a statement that changes no row writes no job', async (stage) => {
    const table = await capturedTable(stage);
    if (table === undefined) return;
    await table.exec("UPDATE % SET note = 'a' WHERE id = 1");
    await table.exec('DELETE FROM % WHERE id = 1');
    expect(await table.jobs()).toEqual([]);
  });

  test('an update counts if one of the given columns changes, to or from null too', async (stage) => {
    const table = await capturedTable(stage, [{ on: { update: ['status', 'amount'] } }]);
    if (table === undefined) return;
    await table.exec("INSERT INTO % (id, status) VALUES (1, NULL), (2, 'a'), (3, 'b')");
    await table.exec("UPDATE % SET note = 'other', status = status, amount = amount");
    expect(await table.changes()).toEqual([]);
    await table.exec("UPDATE % SET status = 'now' WHERE id = 1");
    await table.exec('UPDATE % SET status = NULL WHERE id = 2');
    await table.exec("UPDATE % SET status = 'c' WHERE id = 3");
    await table.exec('UPDATE % SET amount = 1 WHERE id = 3');
    await table.exec('DELETE FROM %');
    expect(await table.changes()).toEqual([1, 2, 3, 3].map((id) => change('update', id)));
  });

  test('chosen columns are in the payload before and after the change, as text', async (stage) => {
    const table = await capturedTable(stage, [{ payload: ['note', 'amount'] }]);
    if (table === undefined) return;
    await table.exec(
      `INSERT INTO % (id, note, amount) VALUES (9007199254740993, 'ä "q" 🚣', 12345678901234567.89)`,
    );
    await table.exec('UPDATE % SET note = NULL, amount = 1');
    await table.exec('DELETE FROM %');
    const id = { id: '9007199254740993' };
    const first = { note: 'ä "q" 🚣', amount: '12345678901234567.89' };
    const second = { note: null, amount: '1.00' };
    const changes = await table.changes();
    expect(changes).toMatchObject([
      { op: 'insert', id, new: first },
      { op: 'update', id, old: first, new: second },
      { op: 'delete', id, old: second },
    ]);
  });

  test('values that are too long for a payload are left out, and the writer goes on', async (stage) => {
    const table = await capturedTable(stage, [{ payload: ['note'] }]);
    if (table === undefined) return;
    await table.exec(`INSERT INTO % (id, note) VALUES (1, '${'x'.repeat(60_000)}')`);
    await table.exec('UPDATE % SET note = CONCAT(note, amount) WHERE id = 1');
    const [first] = await table.changes();
    expect(first).toMatchObject({ new: { note: 'x'.repeat(60_000) } });
  });

  test('a row whose key changes is a job of both keys, and one without a key has none', async (stage) => {
    const table = await capturedTable(stage, [{ key: 'owner', on: { update: true } }]);
    if (table === undefined) return;
    await table.exec('INSERT INTO % (id, owner) VALUES (1, 10), (2, NULL)');
    await table.exec('UPDATE % SET owner = 20 WHERE id = 1');
    await table.exec("UPDATE % SET note = 'a' WHERE id = 1");
    await table.exec("UPDATE % SET note = 'a' WHERE id = 2");
    const keys = (await table.jobs()).map(({ key }) => key);
    expect([keys.slice(0, 2).sort(), keys.slice(2)]).toEqual([
      ['10', '20'],
      ['20', null],
    ]);
  });

  test('a key of several columns, none at all, one that is empty and one that is too long', async (stage) => {
    const table = await capturedTable(stage, [{ key: ['owner', 'status'] }, { key: null }, { key: 'note' }]);
    if (table === undefined) return;
    const long = 'é'.repeat(600);
    await table.exec("INSERT INTO % (id, owner, status, note) VALUES (1, 7, 'a', '')");
    await table.exec(`INSERT INTO % (id, owner, status, note) VALUES (2, NULL, 'a', '${long}')`);
    const keysOf = async (place: string) =>
      (await table.jobs())
        .filter(({ payload }) => String(Object(payload).capture).startsWith(place))
        .map(({ key }) => key);
    expect(await keysOf('0')).toEqual(['7,a', null]);
    expect(await keysOf('1')).toEqual([null, null]);
    expect(await keysOf('2')).toEqual([null, expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  test('a row whose id changes is a job of both ids', async (stage) => {
    const table = await capturedTable(stage, [{ on: { update: true } }]);
    if (table === undefined) return;
    await table.exec('INSERT INTO % (id) VALUES (3)');
    await table.exec('UPDATE % SET id = 9');
    const changes = await table.changes();
    expect(changes.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))).toEqual([
      change('update', 3),
      change('update', 9),
    ]);
  });

  test('a row is identified by several columns', async (stage) => {
    const table = await capturedTable(stage, [{ id: ['id', 'part'] }]);
    if (table === undefined) return;
    await table.exec('INSERT INTO % (id, part) VALUES (1, 2)');
    await table.exec("UPDATE % SET note = 'a'");
    const both = { key: '1,2', id: { id: '1', part: '2' } };
    expect(await table.changes()).toEqual([
      { ...both, op: 'insert' },
      { ...both, op: 'update' },
    ]);
  });

  test('a condition holds before the change or after it', async (stage) => {
    const table = await capturedTable(stage, [
      { when: { status: ['paid', "it's \\ 'odd'", null], part: 0 } },
    ]);
    if (table === undefined) return;
    await table.exec(
      "INSERT INTO % (id, status, part) VALUES (1, 'draft', 0), (2, 'paid', 0), (3, 'paid', 1), (4, NULL, 0)",
    );
    await table.exec("UPDATE % SET status = 'paid' WHERE id = 1");
    await table.exec("UPDATE % SET status = 'draft' WHERE id = 2");
    await table.exec("UPDATE % SET status = 'other' WHERE id = 2");
    await table.exec('DELETE FROM % WHERE id <> 4');
    expect(await table.changes()).toEqual([
      change('insert', 2),
      change('insert', 4),
      change('update', 1),
      change('update', 2),
      change('delete', 1),
    ]);
  });

  test('two captures of a table do not disturb each other', async (stage) => {
    const table = await capturedTable(stage, [{ on: { insert: true } }, { on: { delete: true } }]);
    if (table === undefined) return;
    await table.exec('INSERT INTO % (id) VALUES (1)');
    await table.exec('DELETE FROM %');
    expect(await table.changes()).toEqual([change('insert', 1), change('delete', 1)]);
    await table.rowlock.captures.drop([table.captures[0]?.name ?? '']);
    await table.exec('INSERT INTO % (id) VALUES (1)');
    await table.exec('DELETE FROM %');
    expect(await table.changes()).toHaveLength(3);
  });

  test('triggers that are right are left alone, and many processes at once make them once', async (stage) => {
    const table = await capturedTable(stage, [{}, { on: { update: ['note'] } }], false);
    if (table === undefined) return;
    const { captures } = table.rowlock;
    for (const { problems } of await captures.check())
      expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['missing']));
    const reports = await Promise.all(Array.from({ length: 4 }, () => captures.apply()));
    for (const place of [0, 1]) expect(reports.filter((report) => report[place]?.changed)).toHaveLength(1);
    expect(await captures.check()).toMatchObject([{ problems: [] }, { problems: [] }]);
    // A lock on the table is not waited for, as none is taken.
    const reading = await stage.caller();
    await stage.database.run(reading.tx, `SELECT * FROM ${table.name}`);
    expect(await captures.apply({ lockTimeout: '1s' })).toMatchObject([
      { changed: false },
      { changed: false },
    ]);
    await reading.rollback();
    await table.exec('INSERT INTO % (id) VALUES (1)');
    expect(await table.changes()).toEqual([change('insert', 1)]);
  });

  test('the script has the statements that apply runs', async (stage) => {
    const table = await capturedTable(stage, [{}], false);
    if (table === undefined) return;
    const script = await table.rowlock.captures.sql();
    expect(script).toContain(table.name);
    expect(script.match(/CREATE (OR REPLACE |DEFINER = \S+ )?TRIGGER/g)?.length).toBeGreaterThanOrEqual(3);
    await table.rowlock.captures.apply();
    expect(await table.rowlock.captures.sql()).toBe(script);
  });

  test('what drop has dropped captures no more, and dropping it twice does nothing', async (stage) => {
    const table = await capturedTable(stage);
    if (table === undefined) return;
    const names = table.captures.map(({ name }) => name);
    for (const wrong of [null, 'orders', 5]) {
      const dropped = Reflect.apply(table.rowlock.captures.drop, table.rowlock.captures, [wrong]);
      await expect(dropped).rejects.toThrow('captures.drop() takes a list of names.');
      const filled = Reflect.apply(table.rowlock.captures.backfill, table.rowlock.captures, [wrong]);
      await expect(filled).rejects.toThrow('There is no capture');
    }
    expect(await table.rowlock.captures.drop()).toEqual(names);
    expect(await table.rowlock.captures.drop()).toEqual([]);
    await table.exec('INSERT INTO % (id) VALUES (1)');
    expect(await table.jobs()).toEqual([]);
    await table.rowlock.captures.apply();
    await table.exec('DELETE FROM %');
    expect(await table.changes()).toEqual([change('delete', 1)]);
  });

  test('a table, a column or a key that is not there is refused with the name of the capture', async (stage) => {
    const missing = [
      { table: 'no_such_table' },
      { key: 'no_such_column' },
      { id: ['part'] as const },
      { on: { update: ['no_such_column'] } },
    ];
    for (const options of missing) {
      const table = await capturedTable(
        { ...stage, key: `${stage.key}${missing.indexOf(options)}` },
        [options],
        false,
      );
      if (table === undefined) continue;
      const name = JSON.stringify(table.captures[0]?.name);
      await expect(table.rowlock.captures.apply()).rejects.toMatchObject({
        code: 'ROWLOCK_INVALID_INPUT',
        message: expect.stringContaining(`The capture ${name}: the table`),
      });
      expect(await table.rowlock.captures.check()).toMatchObject([{ problems: [{ code: 'table' }] }]);
    }
  });

  test('a change wakes an idle worker, and its handler gets the typed change', async (stage) => {
    const table = await capturedTable(stage, [{ payload: ['note'] }]);
    if (table === undefined) return;
    const [capture] = table.captures;
    if (capture === undefined) throw new Error('There is no capture.');
    const seen: unknown[] = [];
    const handler = defineHandler({ ...capturedJob(capture), run: ({ job }) => void seen.push(job.payload) });
    const { worker } = await startWorker(stage, [handler], { plugins: [table.plugin] });
    await within('the worker is idle', new Promise<void>((resolve) => worker.on('idle', resolve)));
    await table.exec("INSERT INTO % (id, note) VALUES (1, 'a')");
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete' }]);
    expect(seen).toEqual([
      { capture: capture.name, op: 'insert', id: { id: '1' }, old: null, new: { note: 'a' } },
    ]);
  });

  test('a worker that serves a captured kind warns of a table that another one has taken the place of', async (stage) => {
    const table = await capturedTable(stage);
    if (table === undefined) return;
    const clock = new HandClock();
    const handler = defineHandler({ kind: 'work', queue: stage.queue, payload: AnyJson, run: () => {} });
    const { worker } = await startWorker(stage, [handler], { plugins: [table.plugin], clock });
    const told: CaptureCheck[] = [];
    worker.on('uncaptured', (capture) => told.push(capture));
    await table.exec('CREATE TABLE %_new AS SELECT * FROM % WHERE id <> id');
    await table.exec('ALTER TABLE %_new ADD PRIMARY KEY (id)');
    stage.defer(() => table.exec('DROP TABLE %_old'));
    await table.exec('ALTER TABLE % RENAME TO %_old');
    await table.exec('ALTER TABLE %_new RENAME TO %');
    clock.advance(60_000);
    await until('the worker has warned', async () => told.length > 0);
    const [{ problems = [] } = {}] = await table.rowlock.captures.check();
    expect(problems.map(({ code }) => code)).toContain('missing');
    expect(told).toEqual([{ name: table.captures[0]?.name, problems, warnings: expect.any(Array) }]);
    await table.rowlock.captures.apply();
    expect(await table.rowlock.captures.check()).toMatchObject([{ problems: [] }]);
    await table.exec('INSERT INTO % (id) VALUES (1)');
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete' }]);
  });

  test('the state of a capture stays until its triggers, its table or its losses are others', async (stage) => {
    const table = await capturedTable(stage, [
      { payload: ['note'], onError: 'note' },
      { payload: ['amount'] },
    ]);
    if (table === undefined) return;
    const { captures } = table.rowlock;
    const states = async () => stage.driver.captures?.states(table.captures.map(({ plan }) => plan));
    let last = await states();
    expect(new Set(last).size).toBe(2);
    await table.exec("INSERT INTO % (id, note) VALUES (1, 'a')");
    await captures.check();
    expect(await states()).toEqual(last);
    const differs = async (what: string, change: () => Promise<unknown>): Promise<void> => {
      await change();
      const now = await states();
      for (const place of [0, 1]) expect(now?.[place], what).not.toEqual(last?.[place]);
      last = now;
    };
    await differs('another column', () => table.exec('ALTER TABLE % ADD other INT'));
    await differs('another type', () => table.exec('ALTER TABLE % DROP COLUMN other'));
    await differs('no triggers', () => captures.drop());
    await differs('new triggers', () => captures.apply());
    await table.exec('ALTER TABLE % DROP COLUMN note');
    [last] = [await states()];
    await table.exec('UPDATE % SET part = 1').catch(() => {});
    const [now, before] = [await states(), last];
    expect([now?.[0] !== before?.[0], now?.[1] === before?.[1]]).toEqual([true, true]);
    await differs('no table', () => table.exec('ALTER TABLE % RENAME TO %_gone'));
    await differs('the table', () => table.exec('ALTER TABLE %_gone RENAME TO %'));
  });

  test('a writer does not wait for a handler, and the change during its run is another job', async (stage) => {
    const table = await capturedTable(stage);
    if (table === undefined) return;
    const [begun, goOn] = [gate(), gate()];
    let runs = 0;
    const handler = defineHandler({
      kind: 'work',
      queue: stage.queue,
      payload: AnyJson,
      async run() {
        runs += 1;
        if (runs > 1) return;
        begun.open();
        await goOn.promise;
      },
    });
    await table.exec('INSERT INTO % (id) VALUES (1)');
    await startWorker(stage, [handler]);
    await within('the run begins', begun.promise);
    await within('the writer', table.exec("UPDATE % SET note = 'during the run'"));
    goOn.open();
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete' }, { status: 'complete' }]);
    expect(runs).toBe(2);
  });

  test('many changes of one key are one run of a grouped handler', async (stage) => {
    const table = await capturedTable(stage, [{ key: 'owner' }]);
    if (table === undefined) return;
    const sizes: number[] = [];
    const handler = defineHandler({
      kind: 'work',
      queue: stage.queue,
      payload: AnyJson,
      group: true,
      run: ({ jobs }) => void sizes.push(jobs.length),
    });
    const rows = Array.from({ length: 100 }, (_, n) => `(${n}, 7)`).join();
    await table.exec(`INSERT INTO % (id, owner) VALUES ${rows}`);
    for (let n = 0; n < 4; n++) await table.exec(`UPDATE % SET part = ${n + 1}`);
    expect(await table.jobs()).toHaveLength(500);
    await startWorker(stage, [handler]);
    await allSettled(stage);
    expect(sizes).toEqual([500]);
  });

  for (const claim of ['hold', 'lease'] as const)
    test(`a handler that writes to its captured table does not enqueue itself: ${claim}`, async <
      Tx,
    >(stage: Stage<Tx>) => {
      const table = await capturedTable(stage, [{}, { kind: 'other' }]);
      if (table === undefined) return;
      const handler = defineHandler({
        kind: 'work',
        queue: stage.queue,
        payload: AnyJson,
        claim,
        run: ({ tx }: RunContext<unknown, Tx>) =>
          stage.database.run(tx, `UPDATE ${table.name} SET part = part + 1`).then(() => {}),
      });
      const other = defineHandler({ kind: 'other', queue: stage.queue, payload: AnyJson, run: () => {} });
      await table.exec('INSERT INTO % (id) VALUES (1)');
      await startWorker(stage, [handler, other], { plugins: [table.plugin], concurrency: 1 });
      await until('all is done', async () => (await table.jobs()).length === 0);
      // The run has written the row once. The capture of the other kind has seen that.
      expect(await table.exec('SELECT part FROM %')).toMatchObject([{ part: 1 }]);
      const kinds = (await stage.reader.jobs(stage.queue)).map(({ kind }) => kind).sort();
      expect(kinds).toEqual(['other', 'other', 'work']);
      // The next writer on any connection is captured.
      await table.exec('DELETE FROM %');
      expect(await allSettled(stage)).toHaveLength(5);
    });

  test('a run of another kind is captured, also behind one of the captured kind in its transaction', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const table = await capturedTable(stage, [{ on: { update: true } }]);
    if (table === undefined) return;
    await table.exec('INSERT INTO % (id) VALUES (1)');
    const writing = (kind: string) =>
      defineHandler({
        kind,
        queue: stage.queue,
        payload: AnyJson,
        batch: 10,
        run: async ({ job, tx }: RunContext<unknown, Tx>) => {
          if (Object(job.payload).capture === undefined)
            await stage.database.run(tx, `UPDATE ${table.name} SET part = part + 1`);
        },
      });
    for (const kind of ['work', 'other', 'work', 'other']) await stage.put({ kind });
    await startWorker(stage, [writing('work'), writing('other')], {
      plugins: [table.plugin],
      concurrency: 1,
    });
    await allSettled(stage);
    const captured = (await stage.reader.jobs(stage.queue)).filter(({ payload }) => Object(payload).capture);
    expect(captured).toHaveLength(2);
  });

  test('with ownWrites, what a handler writes is captured too', async <Tx>(stage: Stage<Tx>) => {
    const table = await capturedTable(stage, [{ ownWrites: 'capture', on: { update: true } }]);
    if (table === undefined) return;
    const handler = defineHandler({
      kind: 'work',
      queue: stage.queue,
      payload: AnyJson,
      run: ({ tx }: RunContext<unknown, Tx>) =>
        stage.database.run(tx, `UPDATE ${table.name} SET part = part + 1 WHERE part < 3`).then(() => {}),
    });
    await table.exec('INSERT INTO % (id) VALUES (1)');
    await table.exec('UPDATE % SET part = 1');
    await startWorker(stage, [handler], { plugins: [table.plugin] });
    await until('all is done', async () => (await table.jobs()).length === 0);
    expect(await stage.reader.jobs(stage.queue)).toHaveLength(3);
  });

  test('a backfill enqueues each row once, in steps, and is resumed where it was ended', async (stage) => {
    const table = await capturedTable(
      stage,
      [{ id: ['id', 'part'], key: 'owner', payload: ['note'], when: { status: 'a' } }],
      false,
    );
    if (table === undefined) return;
    const rows = Array.from(
      { length: 25 },
      (_, n) => `(${n}, ${n % 3}, 7, '${n === 4 ? 'b' : 'a'}', 'n${n}')`,
    );
    await table.exec(`INSERT INTO % (id, part, owner, status, note) VALUES ${rows.join()}`);
    const { captures } = table.rowlock;
    const name = table.captures[0]?.name ?? '';
    await expect(captures.backfill(name)).rejects.toThrow('cannot be filled before captures.apply()');
    await captures.apply();
    const ends = new AbortController();
    const progress: number[] = [];
    const onProgress = ({ rows: read }: { rows: number }): void => {
      progress.push(read);
      if (read === 20) ends.abort(new Error('enough'));
    };
    const options = { batch: 10, onProgress };
    await expect(captures.backfill(name, { ...options, signal: ends.signal })).rejects.toThrow('enough');
    expect(await table.jobs()).toHaveLength(19);
    // A change meanwhile is captured by itself.
    await table.exec("UPDATE % SET note = 'changed' WHERE id = 24");
    expect(await captures.backfill(name, options)).toEqual({ rows: 25 });
    expect(progress).toEqual([10, 20, 25]);
    const jobs = await table.jobs();
    expect(jobs).toHaveLength(25);
    expect(jobs[0]).toMatchObject({
      key: '7',
      priority: 100,
      payload: { op: 'backfill', id: { id: '0', part: '0' }, new: { note: 'n0' } },
    });
    const filled = jobs.filter(({ payload }) => Object(payload).op === 'backfill');
    expect(new Set(filled.map(({ payload }) => Object(payload).id.id)).size).toBe(24);
    expect(await captures.backfill(name, { batch: 10_000, priority: 1 })).toEqual({ rows: 25 });
    expect(await table.jobs()).toHaveLength(49);
  });

  test('a backfill of another definition than the one that was ended begins anew', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const table = await capturedTable(stage, [{ when: { status: 'a' } }]);
    const [capture] = table?.captures ?? [];
    if (table === undefined || capture === undefined) return;
    const rows = Array.from({ length: 12 }, (_, n) => `(${n}, ${12 - n}, '${n % 2 === 0 ? 'a' : 'b'}')`);
    await table.exec(`INSERT INTO % (id, part, status) VALUES ${rows.join()}`);
    const redefined = (id: readonly ['id', ...'part'[]]): Rowlock<Tx> => {
      const again = defineCapture({
        name: capture.name,
        table: table.name,
        id,
        kind: 'work',
        queue: stage.queue,
      });
      return clientOf(stage, [], [definePlugin<Tx>({ name: 'again', captures: [again] })]);
    };
    const endedAfter = async ({ captures }: Rowlock<Tx>): Promise<void> => {
      const ends = new AbortController();
      const options = { batch: 5, signal: ends.signal, onProgress: () => ends.abort(new Error('enough')) };
      await expect(captures.backfill(capture.name, options)).rejects.toThrow('enough');
    };
    await endedAfter(table.rowlock);
    for (const other of [redefined(['id']), redefined(['id', 'part'])]) {
      await other.captures.apply();
      const before = (await table.jobs()).length;
      await endedAfter(other);
      expect(await table.jobs()).toHaveLength(before + 5);
    }
    await table.rowlock.captures.apply();
    await expect(table.rowlock.captures.backfill(capture.name, { batch: 5 })).resolves.toEqual({ rows: 12 });
    const filled = (await table.jobs()).filter(({ payload }) => Object(payload).op === 'backfill');
    expect(filled).toHaveLength(3 + 5 + 5 + 6);
  });

  test('a backfill that was ended begins anew where its triggers were gone meanwhile', async (stage) => {
    const table = await capturedTable(stage);
    if (table === undefined) return;
    const [name = ''] = table.captures.map((each) => each.name);
    const { captures } = table.rowlock;
    await table.exec('INSERT INTO % (id) VALUES (1), (2), (3)');
    const ends = new AbortController();
    const options = { batch: 1, signal: ends.signal, onProgress: () => ends.abort(new Error('enough')) };
    await expect(captures.backfill(name, options)).rejects.toThrow('enough');
    await captures.drop();
    await table.exec("UPDATE % SET status = 'b' WHERE id = 1");
    await captures.apply();
    await expect(captures.backfill(name)).resolves.toEqual({ rows: 3 });
    const filled = (await table.jobs()).flatMap(({ key, payload }) =>
      Object(payload).op === 'backfill' ? [key] : [],
    );
    expect(filled).toEqual(['1', '1', '2', '3']);
  });

  test('several backfills at once share the work', async (stage) => {
    const table = await capturedTable(stage);
    if (table === undefined) return;
    const rows = Array.from({ length: 60 }, (_, n) => `(${n})`);
    await table.exec(`INSERT INTO % (id) VALUES ${rows.join()}`);
    const name = table.captures[0]?.name ?? '';
    const gateOf = gate();
    let steps = 0;
    const onProgress = (): void => {
      steps += 1;
      if (steps === 3) gateOf.open();
    };
    const first = table.rowlock.captures.backfill(name, { batch: 1, onProgress });
    await gateOf.promise;
    const [one, other] = await Promise.all([first, table.rowlock.captures.backfill(name, { batch: 1 })]);
    expect([one.rows, other.rows]).toEqual([60, 60]);
    const filled = (await table.jobs()).filter(({ payload }) => Object(payload).op === 'backfill');
    expect(filled).toHaveLength(60);
  });
});
