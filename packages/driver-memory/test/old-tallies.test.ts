import { describeOldTallies } from '@rowlock/driver-conformance/internal';
import { Database } from '../src/engine/database.js';
import { memory } from '../src/index.js';

describeOldTallies(async () => {
  const database = new Database();
  const drivers = [memory({ database }), memory({ database })] as const;
  await drivers[0].schema.migrate();
  return {
    drivers,
    async put(tallies) {
      const tx = database.beginTransaction();
      for (const { minute, ...tally } of tallies)
        database.tables.tallies.insert(tx, () => ({ ...tally, minute: minute.getTime() }));
      await tx.commit();
    },
    rows: async () =>
      database.tables.tallies
        .find(database.beginTransaction(), () => true)
        .map(({ value: { kind, minute } }) => ({ kind, minute: new Date(minute) })),
    async end() {
      for (const driver of drivers) await driver.close();
    },
  };
});
