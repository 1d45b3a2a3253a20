import { expect, test } from 'vitest';
import { Database } from '../src/database.js';
import { type MemoryDriver, memory } from '../src/index.js';

test('a worker that starts forgets those that are long gone, and none that may come back', async () => {
  const database = new Database();
  const [dead, beating, own] = [
    memory({ database }),
    memory({ database, sessions: 'shared' }),
    memory({ database }),
  ];
  await own.migrate();
  const hire = (driver: MemoryDriver, name: string) =>
    driver.anchor({ name, host: 'host', pid: 1, queues: [] });
  const left = (): readonly string[] =>
    database.tables.workers.find(database.beginTransaction(), () => true).map(({ value }) => value.info.name);

  // Its session is open, however long it has been there.
  const alive = await hire(own, 'alive');
  await (await hire(own, 'stopped')).release();
  await hire(dead, 'crashed');
  await hire(beating, 'beat its last');
  dead.kill();
  beating.kill();
  database.clock.advance('23h');
  await (await hire(own, 'the same day')).release();
  expect(left()).toEqual(['alive', 'stopped', 'crashed', 'beat its last', 'the same day']);
  database.clock.advance('2h');
  await (await hire(own, 'the next day')).release();
  expect(left()).toEqual(['alive', 'crashed', 'the same day', 'the next day']);
  database.clock.advance('31d');
  await (await hire(own, 'the next month')).release();
  expect(left()).toEqual(['alive', 'the next month']);
  await alive.release();
  await own.close();
});
