import { expect, test } from 'vitest';
import type { Driver } from '../../driver/driver.js';
import { reserve, shortages } from './connections.js';

function driverWith(maxConnections: number | null, sharesPool = false): Pick<Driver, 'capabilities'> {
  return { capabilities: { maxConnections, sharesPool } };
}

test('a pool needs a connection for each run and one for short statements', () => {
  reserve(driverWith(6), 5);
  reserve(driverWith(null), 1_000);
  expect(() => reserve(driverWith(5), 5)).toThrow(
    expect.objectContaining({
      code: 'ROWLOCK_POOL_TOO_SMALL',
      message: expect.stringMatching(/5.* needs 6 .* allows 5/),
    }),
  );
});

test('workers of one driver share its pool: each takes from it until it stops', () => {
  const driver = driverWith(11);
  const stop = reserve(driver, 5);
  expect(() => reserve(driver, 6)).toThrow(/11.* needs 12 .* allows 11/);
  reserve(driver, 5);
  stop();
  reserve(driver, 5);
  expect(() => reserve(driver, 1)).toThrow(/11.* needs 12/);
});

test('an application that shares the pool is told when nothing is left for it', () => {
  const [shared, roomy, own] = [driverWith(6, true), driverWith(7, true), driverWith(6)];
  for (const driver of [shared, roomy, own]) reserve(driver, 5);
  expect(shortages(shared, null)).toEqual([
    expect.stringMatching(/allows 6 .* takes up to 6: nothing is left/),
  ]);
  expect(shortages(roomy, null)).toEqual([]);
  expect(shortages(own, null)).toEqual([]);
});

test('it is told when the server lets in fewer than the workers take, their sessions among them', () => {
  const driver = driverWith(100);
  reserve(driver, 5);
  expect(shortages(driver, 7)).toEqual([]);
  expect(shortages(driver, 6)).toEqual([expect.stringMatching(/lets in 6 .* takes up to 7/)]);
  reserve(driver, 5);
  expect(shortages(driver, 12)).toEqual([expect.stringMatching(/takes up to 13/)]);
});
