import { setImmediate as turn } from 'node:timers/promises';
import { append, increment } from '@rowlock/core';
import { beforeEach, describe, expect, test } from 'vitest';
import { type MemoryDatabase, memoryDatabase } from '../src/index.js';

let database: MemoryDatabase;

beforeEach(() => {
  database = memoryDatabase();
});

/** Long enough that whatever does not wait for a lock would have been done. */
async function aWhile(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await turn();
}

/** Whether a promise is still waiting for something, after a while. */
async function waits(work: Promise<unknown>): Promise<boolean> {
  let isDone = false;
  const done = (): void => {
    isDone = true;
  };
  work.then(done, done);
  await aWhile();
  return !isDone;
}

test('what is written is seen by its own transaction, and by others when it is committed', async () => {
  const tx = database.begin();
  await tx.set('orders', '7', { paid: true });
  expect(await tx.get('orders', '7')).toEqual({ paid: true });
  expect(await database.get('orders', '7')).toBeUndefined();
  await tx.commit();
  expect(await database.get('orders', '7')).toEqual({ paid: true });
});

test('what is rolled back never was: inserts, changes and removals', async () => {
  await database.set('orders', '1', 'before');
  await database.set('orders', '2', 'before');
  const tx = database.begin();
  await tx.set('orders', '1', 'after');
  expect(await tx.remove('orders', '2')).toBe(true);
  await tx.insert('orders', '3', 'new');
  expect(await tx.list('orders')).toEqual(['after', 'new']);
  await tx.rollback();
  expect(await database.list('orders')).toEqual(['before', 'before']);
});

test('what is read is a copy', async () => {
  await database.set('orders', '1', { lines: [1] });
  const read = Object(await database.get('orders', '1'));
  read.lines.push(2);
  expect(await database.get('orders', '1')).toEqual({ lines: [1] });
});

test('a writer waits for the one before, and writes then', async () => {
  await database.set('orders', '1', 0);
  const first = database.begin();
  await first.set('orders', '1', 1);
  const second = database.set('orders', '1', 2);
  expect(await waits(second)).toBe(true);
  await first.commit();
  await second;
  expect(await database.get('orders', '1')).toBe(2);
});

test('of two transactions that wait for each other one is refused, and the other goes on when that has ended', async () => {
  const [a, b] = [database.begin(), database.begin()];
  await a.set('orders', '1', 'a');
  await b.set('orders', '2', 'b');
  const waiting = a.set('orders', '2', 'a');
  expect(await waits(waiting)).toBe(true);
  await expect(b.set('orders', '1', 'b')).rejects.toMatchObject({ code: 'Deadlock' });
  expect(await waits(waiting)).toBe(true);
  await b.rollback();
  await waiting;
  await a.commit();
  expect(await database.list('orders')).toEqual(['a', 'a']);
});

test('a circle of three is a deadlock too', async () => {
  const ring = ['1', '2', '3'].map((key) => ({ key, tx: database.begin() }));
  for (const { key, tx } of ring) await tx.set('orders', key, key);
  const [first, second, third] = ring.map(({ tx }) => tx);
  const waiting = [first?.set('orders', '2', 'first'), second?.set('orders', '3', 'second')];
  await aWhile();
  await expect(third?.set('orders', '1', 'third')).rejects.toMatchObject({ code: 'Deadlock' });
  await third?.rollback();
  await waiting[1];
  await second?.commit();
  await waiting[0];
  await first?.commit();
  expect(await database.list('orders')).toEqual(['1', 'first', 'second']);
});

describe('an insert beside one of the same key that is not committed', () => {
  test('waits, and is refused when that commits', async () => {
    const first = database.begin();
    await first.insert('orders', '1', 'first');
    const second = database.insert('orders', '1', 'second');
    const refused = expect(second).rejects.toMatchObject({ code: 'UniqueViolation' });
    expect(await waits(second)).toBe(true);
    await first.commit();
    await refused;
  });

  test('waits, and succeeds when that is rolled back', async () => {
    const first = database.begin();
    await first.insert('orders', '1', 'first');
    const second = database.insert('orders', '1', 'second');
    expect(await waits(second)).toBe(true);
    await first.rollback();
    await second;
    expect(await database.list('orders')).toEqual(['second']);
  });
});

test('a rollback ends a statement that waits for a lock', async () => {
  const holder = database.begin();
  await holder.set('orders', '1', 'holder');
  const tx = database.begin();
  const waiting = expect(tx.set('orders', '1', 'waiting')).rejects.toMatchObject({ code: 'TransactionOver' });
  await aWhile();
  await tx.rollback();
  await waiting;
  await holder.commit();
  expect(await database.get('orders', '1')).toBe('holder');
});

test('a rollback that meets its own commit comes too late', async () => {
  const tx = database.begin();
  await tx.set('orders', '1', 'kept');
  const committed = tx.commit();
  await tx.rollback();
  await committed;
  expect(await database.list('orders')).toEqual(['kept']);
});

test('a statement that fails has done nothing, and the transaction goes on', async () => {
  const tx = database.begin();
  await tx.insert('orders', '1', 'kept');
  await expect(tx.insert('orders', '1', 'again')).rejects.toMatchObject({ code: 'UniqueViolation' });
  await expect(tx.set('orders', '2', 'a NUL: \0')).rejects.toMatchObject({ code: 'InvalidInput' });
  await tx.commit();
  expect(await database.list('orders')).toEqual(['kept']);
});

test('statements of one transaction are done one by one, in the order of asking', async () => {
  const tx = database.begin();
  await Promise.all([
    tx.set('log', 'a', 1),
    tx.set('log', 'b', 2),
    tx.remove('log', 'a'),
    tx.set('log', 'c', 3),
  ]);
  expect(await tx.list('log')).toEqual([2, 3]);
  await tx.rollback();
});

test('a record is updated in place, and two transactions lose nothing of each other', async () => {
  await database.set('account', '7', { n: 1 });
  const tx = database.begin();
  expect(await tx.update('account', '7', [increment('n')])).toBe(true);
  const waiting = database.update('account', '7', [increment('n'), append('log', ['second'])]);
  expect(await database.get('account', '7')).toEqual({ n: 1 });
  await tx.commit();
  expect(await waiting).toBe(true);
  expect(await database.get('account', '7')).toEqual({ n: 3, log: ['second'] });
  await expect(database.update('account', '7', [increment('log')])).rejects.toMatchObject({
    code: 'ROWLOCK_UPDATE_REFUSED',
    reason: 'not-a-number',
  });
  expect(await database.update('account', '8', [increment('n')])).toBe(false);
  expect(await database.list('account')).toEqual([{ n: 3, log: ['second'] }]);
});
