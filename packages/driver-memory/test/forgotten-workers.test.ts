import { expect, test } from 'vitest';
import { Database } from '../src/engine/database.js';
import { type MemoryDriver, memory } from '../src/index.js';

test('a worker that starts forgets those that are long gone, and none that may come back', async () => {
  const database = new Database();
  const [dead, beating, own] = [
    memory({ database }),
    memory({ database, sessions: 'shared' }),
    memory({ database }),
  ];
  await own.schema.migrate();
  const hire = (driver: MemoryDriver, name: string) =>
    driver.workers.anchor({ name, host: 'host', pid: 1, queues: [] });
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

// A worker is forgotten that is away for a moment and was started long ago, or that was away for longer than a day.
for (const [title, sessions] of [
  ['whose session comes back', 'own'],
  ['that beats again', 'shared'],
] as const) {
  test(`a worker ${title} after it was forgotten is known again, as it was`, async () => {
    const database = new Database();
    const [away, other] = [memory({ database, sessions }), memory({ database })];
    await other.schema.migrate();
    const anchor = await away.workers.anchor({ name: 'away', host: 'host', pid: 4711, queues: ['q'] });
    const [before] = await other.workers.list();
    database.clock.advance('32d');
    away.disconnect();
    await (await other.workers.anchor({ name: 'fresh', host: 'host', pid: 1, queues: [] })).release();
    const known = async () => (await other.workers.list()).find(({ name }) => name === 'away');
    await expect.poll(known, { timeout: 10_000 }).toEqual(before);
    await anchor.release();
    expect(await known()).toMatchObject({ alive: false });
    await away.close();
    await other.close();
  });
}
