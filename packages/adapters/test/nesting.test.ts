import { expect, test } from 'vitest';
import { Nesting, Standing, type Turns } from '../src/nesting.js';

function recorded(turns: Turns) {
  const sent: string[] = [];
  const send = (text: string) =>
    turns.send(text, async (each) => {
      sent.push(each);
      if (each.includes('fails')) throw new Error(each);
    });
  return { sent, send };
}

test.each([
  ['begin', 'commit', 'RELEASE SAVEPOINT rowlock_nested'],
  ['BEGIN;', 'COMMIT;', 'RELEASE SAVEPOINT rowlock_nested'],
  ['START TRANSACTION', 'ROLLBACK', 'ROLLBACK TO SAVEPOINT rowlock_nested'],
  ['begin transaction', 'rollback work', 'ROLLBACK TO SAVEPOINT rowlock_nested'],
])('%s and %s are a savepoint, again and again', async (begin, end, ended) => {
  const { sent, send } = recorded(new Nesting());
  for (const text of [begin, 'SELECT 1', end, begin, end]) await send(text);
  const began = 'SAVEPOINT rowlock_nested';
  expect(sent).toEqual([began, 'SELECT 1', ended, began, ended]);
});

test("savepoints of the ORM's own pass", async () => {
  const { sent, send } = recorded(new Nesting());
  const own = ['savepoint sp1', 'rollback to savepoint sp1', 'release savepoint sp1', 'ROLLBACK TO sp1'];
  for (const text of ['begin', ...own]) await send(text);
  expect(sent.slice(1)).toEqual(own);
});

test('an end without a begin goes to the claim, which refuses it', async () => {
  const { sent, send } = recorded(new Nesting());
  for (const text of ['commit', 'ROLLBACK']) await send(text);
  expect(sent).toEqual(['commit', 'ROLLBACK']);
});

test('a second one beside the first is refused, and so is a mode', async () => {
  const { sent, send } = recorded(new Nesting());
  await expect(send('begin isolation level serializable')).rejects.toThrow(/isolation level/);
  await expect(send('START TRANSACTION READ ONLY')).rejects.toThrow(/READ ONLY/);
  await send('begin');
  await expect(send('begin')).rejects.toThrow(/await that first/);
  expect(sent).toEqual(['SAVEPOINT rowlock_nested']);
});

test('a mode that is set behind the begin is refused, and leaves no transaction open that has written nothing', async () => {
  const { sent, send } = recorded(new Nesting());
  await send('BEGIN');
  await expect(send('SET TRANSACTION ISOLATION LEVEL Serializable')).rejects.toThrow(
    /without ISOLATION LEVEL/,
  );
  await send('BEGIN');
  await send('INSERT INTO orders VALUES (1)');
  await expect(send('set transaction read only')).rejects.toThrow(/without read only/);
  await send('ROLLBACK');
  const began = 'SAVEPOINT rowlock_nested';
  expect(sent).toEqual([
    began,
    began,
    'INSERT INTO orders VALUES (1)',
    'ROLLBACK TO SAVEPOINT rowlock_nested',
  ]);
});

test('the transaction of the claim itself is begun by nothing', async () => {
  const { sent, send } = recorded(new Standing());
  for (const text of ['BEGIN;', 'SAVEPOINT trx2;']) await send(text);
  expect(sent).toEqual(['SELECT 1', 'SAVEPOINT trx2;']);
});

test.each([
  ['release savepoint "trx1"', 'savepoint "trx1"'],
  ['rollback to "trx1"', 'savepoint "trx1"'],
  ['ROLLBACK TO SAVEPOINT trx7', 'SAVEPOINT trx7;'],
  ['RELEASE SAVEPOINT trx7;', 'SAVEPOINT trx7;'],
])('in it a savepoint has its name for itself until %s', async (end, begin) => {
  const { sent, send } = recorded(new Standing());
  await send(begin);
  await expect(send(begin)).rejects.toThrow(/await that first/);
  await send('savepoint inner');
  for (const text of [end, begin, 'savepoint inner']) await send(text);
  expect(sent).toEqual([begin, 'savepoint inner', end, begin, 'savepoint inner']);
});

test('a savepoint that the server refuses is not open', async () => {
  const { sent, send } = recorded(new Standing());
  await expect(send('savepoint fails')).rejects.toThrow('fails');
  await expect(send('savepoint fails')).rejects.toThrow('fails');
  expect(sent).toHaveLength(2);
});
