import { Socket } from 'node:net';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { postgres } from '../src/index.js';

type Done = (error?: Error | null) => void;

interface Piece {
  readonly chunk: Buffer;
  readonly encoding: BufferEncoding;
}

/** A way to a server that loses these words, and so accepts them without a lock. */
class Without extends Socket {
  readonly #words: string;

  constructor(words: string) {
    super();
    this.#words = words;
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: Done): void {
    super._write(this.#without(chunk), encoding, done);
  }

  override _writev(pieces: Piece[], done: Done): void {
    super._writev?.(
      pieces.map(({ chunk, encoding }) => ({ chunk: this.#without(chunk), encoding })),
      done,
    );
  }

  #without(chunk: Buffer): Buffer {
    const text = chunk.toString('latin1').replaceAll(this.#words, ' '.repeat(this.#words.length));
    return Buffer.from(text, 'latin1');
  }
}

test.each([
  'FOR UPDATE SKIP LOCKED',
  'FOR NO KEY UPDATE SKIP LOCKED',
  'FOR NO KEY UPDATE NOWAIT',
  'FOR NO KEY UPDATE',
  'FOR UPDATE',
  'SKIP LOCKED',
  'NOWAIT',
  'BEGIN',
  'COMMIT',
])('no worker starts on a server that accepts %s and does nothing of it', async (words) => {
  const fresh = await freshDatabase(inject('postgresUrl'));
  onTestFinished(() => fresh.drop());
  const reader = new pg.Client(fresh.url);
  await reader.connect();
  onTestFinished(() => reader.end());
  const sound = postgres({ connectionString: fresh.url });
  onTestFinished(() => sound.close());
  await sound.schema.migrate();
  await sound.schema.verify();
  const driver = postgres({ connectionString: fresh.url, stream: () => new Without(words) });
  onTestFinished(() => driver.close());
  const unsuitable = {
    code: 'EngineUnsuitable',
    message: expect.stringMatching(/jobs would run twice|does not do a statement/),
  };
  await expect(driver.schema.verify()).rejects.toMatchObject(unsuitable);
  await expect(driver.workers.anchor({ name: 'w', host: 'h', pid: 1, queues: ['q'] })).rejects.toMatchObject(
    unsuitable,
  );
  const { rows } = await reader.query('SELECT id FROM rowlock.worker WHERE stopped_at IS NULL');
  expect(rows).toEqual([]);
});

test.each(['RETURNING id', 'RETURNING', 'LISTEN'])(
  'a worker that loses %s on the way is refused',
  async (words) => {
    const fresh = await freshDatabase(inject('postgresUrl'));
    onTestFinished(() => fresh.drop());
    const driver = postgres({ connectionString: fresh.url, stream: () => new Without(words) });
    onTestFinished(() => driver.close());
    const sound = postgres({ connectionString: fresh.url });
    onTestFinished(() => sound.close());
    await sound.schema.migrate();
    await expect(
      driver.workers.anchor({ name: 'w', host: 'h', pid: 1, queues: ['q'] }),
    ).rejects.toMatchObject({
      code: 'EngineUnsuitable',
      message: expect.stringContaining('Let workers connect to the server itself.'),
    });
  },
);
