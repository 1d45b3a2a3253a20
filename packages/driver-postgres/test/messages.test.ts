import '@rowlock/servers/vitest';
import { play, RecordedSocket, SCENES, Transcript } from '@rowlock/driver-conformance/internal';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { postgres } from '../src/index.js';
import { statements } from '../src/statements.js';
import { openPostgresHarness } from './postgres-harness.js';
import { textsOf } from './texts-of.js';

const database = await openPostgresHarness(inject('postgresUrl')).database();
// A session that is a second old, as it may be on a slow machine, would be sent DISCARD PLANS.
beforeAll(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterAll(() => {
  vi.useRealTimers();
  return database.close();
});

// A line is what was handed to the network at once, and | is where the server is to answer.
test.each(SCENES)('the messages of $name are those on file', async (scene) => {
  const { exec } = database.reader;
  await exec(
    'DROP SCHEMA IF EXISTS rowlock CASCADE; DROP TABLE IF EXISTS effect; CREATE TABLE effect (n int)',
  );
  const transcript = new Transcript();
  const driver = postgres({
    connectionString: database.url,
    sessions: 'own',
    stream: () => {
      const read = reader();
      const socket: RecordedSocket = new RecordedSocket({
        sent(piece) {
          transcript.said(socket, read(piece));
        },
      });
      return socket;
    },
  });
  await driver.schema.migrate();
  await play(scene, {
    driver,
    reader: database.reader,
    write: (tx) => tx.query('INSERT INTO effect VALUES (1)'),
    transcript,
  });
  await driver.close();
  await expect(transcript.text).toMatchFileSnapshot(`golden/messages/${scene.name.replaceAll(' ', '-')}.txt`);
});

const VERBS: ReadonlyMap<string, string> = new Map(
  textsOf(statements('rowlock')).flatMap(([verb, text]) => (typeof text === 'string' ? [[text, verb]] : [])),
);

/** Reads the pieces that a client sends to the server. https://www.postgresql.org/docs/current/protocol-message-formats.html */
function reader(): (piece: Buffer) => string {
  let isGreeted = false;
  let parsed = '';
  return (piece) => {
    // The first message has no type.
    if (!isGreeted) {
      isGreeted = true;
      return 'connects |';
    }
    const said: string[] = [];
    for (let at = 0; at < piece.length; at += 1 + piece.readInt32BE(at + 1)) {
      const [first = '', second = ''] = piece.toString('utf8', at + 5).split('\0', 2);
      const type = String.fromCharCode(piece[at] ?? 0);
      if (type === 'P') parsed = second;
      if (type === 'B') said.push(named(second === '' ? parsed : second));
      if (type === 'Q') said.push(`${named(first)} |`);
      if (type === 'S') said.push('|');
    }
    return said.join(' ');
  };
}

/** A statement's verb, if it is one of the driver's. */
function named(statement: string): string {
  // What it sets depends on the server's version.
  if (statement.startsWith('SET SESSION')) return 'bounds';
  const inOneLine = statement.replace(/\s+/g, ' ').trim();
  return VERBS.get(statement) ?? inOneLine.replace(/^(rowlock\.\w+)\.\w+$/, '$1');
}
