import { Socket } from 'node:net';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection } from 'mysql2/promise';
import { expect, onTestFinished, test, vi } from 'vitest';
import { mysql } from '../src/index.js';
import { clusterWarnings } from '../src/schema/cluster.js';
import { serverUrl } from './server.js';

/** A way to a server that loses these words, and so accepts them without a lock. */
class Without extends Socket {
  readonly #words: string;

  constructor(words: string) {
    super();
    this.#words = words;
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const text = chunk.toString('latin1').replaceAll(this.#words, ' '.repeat(this.#words.length));
    super._write(Buffer.from(text, 'latin1'), encoding, done);
  }
}

test.each([
  'FOR UPDATE SKIP LOCKED',
  'FOR UPDATE NOWAIT',
  'FOR UPDATE',
  'SKIP LOCKED',
  'NOWAIT',
  'START TRANSACTION',
])('no worker starts on a server that accepts %s and does nothing of it', async (words) => {
  const fresh = await freshMysqlDatabase(serverUrl);
  onTestFinished(() => fresh.drop());
  const { hostname, port } = new URL(fresh.url);
  const reader = await createConnection(fresh.url);
  onTestFinished(() => reader.end());
  const sound = mysql({ uri: fresh.url });
  onTestFinished(() => sound.close());
  await sound.schema.migrate();
  await sound.schema.verify();
  const driver = mysql({
    uri: fresh.url,
    sessions: 'own',
    // Shorter than the driver's own limit for a lock: who waits is found sooner.
    answerTimeout: '4s',
    stream: () => new Without(words).connect(Number(port), hostname),
  });
  onTestFinished(() => driver.close());
  const unsuitable = {
    code: 'EngineUnsuitable',
    message: expect.stringMatching(/jobs would run twice|does not do a statement/),
  };
  const worker = { name: 'w', host: 'h', pid: 1, queues: ['q'] };
  // What a busy machine answers too late is a lost connection, and is asked for again.
  for (const ask of [() => driver.schema.verify(), () => driver.workers.anchor(worker)])
    await vi.waitFor(() => expect(ask()).rejects.toMatchObject(unsuitable), 30_000);
  const [left] = await reader.query('SELECT id FROM rowlock_worker WHERE stopped_at IS NULL');
  expect(left).toEqual([]);
});

test.each(['SET SESSION', 'SET NAMES utf8mb4, ', 'SHOW SESSION'])(
  'a way that loses %s is refused in a sentence',
  async (words) => {
    const { hostname, port } = new URL(serverUrl);
    const fresh = await freshMysqlDatabase(serverUrl);
    onTestFinished(() => fresh.drop());
    const stream = () => new Without(words).connect(Number(port), hostname);
    const driver = mysql({ uri: fresh.url, sessions: 'own', stream });
    onTestFinished(() => driver.close());
    await expect(driver.schema.verify(false)).rejects.toMatchObject({
      code: 'EngineUnsuitable',
      message: expect.stringContaining('Let workers connect to the server itself.'),
    });
  },
);

test('a server that is not the only one that writes is warned of', () => {
  expect(clusterWarnings(new Map([['wsrep_cluster_size', '3']]))).toEqual([
    expect.stringMatching(/one of 3/),
  ]);
  expect(clusterWarnings(new Map([['group_replication_single_primary_mode', 'OFF']]))).toEqual([
    expect.stringMatching(/several primaries/),
  ]);
});

test.each([
  { wsrep_cluster_size: '1' },
  { wsrep_cluster_size: '0', group_replication_single_primary_mode: 'ON' },
  {},
])('a server that alone writes is not: %j', (values) => {
  expect(clusterWarnings(new Map(Object.entries(values)))).toEqual([]);
});
