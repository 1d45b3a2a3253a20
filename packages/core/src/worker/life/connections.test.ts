import { expect, test } from 'vitest';
import { poolOf } from '../../../test/pool.js';
import type { Driver } from '../../driver/driver.js';
import { reserve, shortages } from './connections.js';

function driverWith(most: number, isApplications = false): Pick<Driver, 'pool'> {
  return { pool: poolOf(most, isApplications) };
}

const server = (most: number, used = 0) => [{ name: "the server's limit", most, used }];

test('a pool needs a connection for each run and one for short statements', () => {
  reserve(driverWith(6), 5);
  reserve({ pool: null }, 1_000);
  expect(() => reserve(driverWith(5), 5)).toThrow(
    expect.objectContaining({
      code: 'ROWLOCK_POOL_TOO_SMALL',
      message: expect.stringMatching(/concurrency of 5 needs 6 .* allows 5/),
    }),
  );
});

test('workers on one pool share it, whichever driver they are of: each takes from it until it stops', () => {
  const { pool } = driverWith(11);
  const [driver, another] = [{ pool }, { pool }];
  const stop = reserve(driver, 5);
  expect(() => reserve(another, 6)).toThrow(/11, 5 of it in other workers .* needs 12 .* allows 11/);
  reserve(another, 5);
  stop();
  stop();
  reserve(driver, 5);
  expect(() => reserve(another, 1)).toThrow(/11, 10 of it .* needs 12/);
});

test('an application that shares the pool is told when nothing is left for it', () => {
  const [shared, roomy, own] = [driverWith(6, true), driverWith(7, true), driverWith(6)];
  for (const driver of [shared, roomy, own]) reserve(driver, 5);
  expect(shortages(shared, [])).toEqual([
    expect.stringMatching(/allows 6 .* takes up to 6: nothing is left/),
  ]);
  expect(shortages(roomy, [])).toEqual([]);
  expect(shortages(own, [])).toEqual([]);
});

test('it is told when the server lets in fewer than the workers take, their sessions among them', () => {
  const driver = driverWith(100);
  reserve(driver, 5);
  expect(shortages(driver, server(7))).toEqual([]);
  expect(shortages(driver, server(6))).toEqual([
    expect.stringMatching(/concurrency of 5 takes up to 7 connections\. .* limit is 6, and 0 /),
  ]);
  reserve(driver, 5);
  expect(shortages(driver, server(12))).toEqual([expect.stringMatching(/takes up to 13/)]);
});

test('what others use of a limit is not there for the workers', () => {
  const driver = driverWith(100);
  reserve(driver, 5);
  expect(shortages(driver, server(20, 13))).toEqual([]);
  expect(shortages(driver, server(20, 14))).toEqual([expect.stringMatching(/is 20, and 14 are in use/)]);
});

test('a limit that leaves room for no run at all is refused', () => {
  const driver = driverWith(100);
  reserve(driver, 1);
  expect(shortages(driver, server(3))).toEqual([]);
  expect(() => shortages(driver, server(2))).toThrow(
    expect.objectContaining({
      code: 'ROWLOCK_POOL_TOO_SMALL',
      message: expect.stringMatching(/needs 3 .* is 2/),
    }),
  );
});
