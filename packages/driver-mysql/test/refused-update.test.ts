import { createRowlock, increment } from '@rowlock/core';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { mysql } from '../src/index.js';
import { serverUrl } from './server.js';

const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

test('when an update is refused, the lock of its job is gone', async () => {
  const { url, drop } = await freshMysqlDatabase(serverUrl);
  onTestFinished(drop);
  const rowlock = createRowlock({ driver: mysql({ uri: url }) });
  onTestFinished(() => rowlock.close());
  await rowlock.migrate();
  const { publicId } = await rowlock.enqueue(
    { kind: 'work', payload: anything },
    { payload: {}, metadata: { text: 'one' } },
  );
  const reader = await createConnection(url);
  onTestFinished(() => reader.end());
  for (let times = 0; times < 10; times++) {
    const refused = rowlock.jobs.updateMetadata(publicId, [increment('text')]);
    await expect(refused).rejects.toMatchObject({ reason: 'not-a-number' });
    const [rows] = await reader.query('SELECT public_id FROM rowlock_job FOR UPDATE NOWAIT');
    expect(rows).toEqual([{ public_id: publicId }]);
  }
});
