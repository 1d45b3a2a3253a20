import '@rowlock/servers/vitest';
import { freshDatabase } from '@rowlock/servers';
import { afterEach, expect, inject, test, vi } from 'vitest';
import { postgres } from '../src/index.js';

afterEach(() => void vi.useRealTimers());

test('a connection that is used every five seconds is sent the statement alone, and a busy one renews its plans first', async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  const sent: unknown[] = [];
  vi.useFakeTimers({ toFake: ['performance'] });
  const driver = postgres({
    connectionString: database.url,
    maxConnections: 1,
    sessions: 'own',
    onConnect(client) {
      const query = client.query.bind(client);
      Object.assign(client, {
        query(statement: unknown, ...rest: readonly unknown[]) {
          const { name } = Object(statement);
          if (statement === 'DISCARD PLANS') sent.push(statement);
          else sent.push(typeof name === 'string' ? 'prepared' : 'planned');
          return Reflect.apply(query, client, [statement, ...rest]);
        },
      });
    },
  });
  await driver.schema.migrate();
  const survey = async (afterMs: number): Promise<readonly unknown[]> => {
    sent.length = 0;
    vi.advanceTimersByTime(afterMs);
    await driver.claims.survey({ queues: ['q'], kinds: ['k'] });
    return [...sent];
  };
  expect(await survey(0)).toEqual(['prepared']);
  for (let poll = 0; poll < 3; poll++) expect(await survey(5_000)).toEqual(['planned']);
  expect(await survey(100)).toEqual(['DISCARD PLANS', 'prepared']);
  expect(await survey(100)).toEqual(['prepared']);
  await driver.close();
  await database.drop();
});
