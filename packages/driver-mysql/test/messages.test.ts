import { play, RecordedSocket, SCENES, Transcript } from '@rowlock/driver-conformance/internal';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mysql } from '../src/index.js';
import { openMysqlHarness } from './mysql-harness.js';
import { product, serverUrl } from './server.js';
import { GIVEN, spelled } from './spelled.js';

const database = await openMysqlHarness(serverUrl, product).database();
const { hostname, port, username, password, pathname } = new URL(database.url);
const schema = pathname.slice(1);
beforeAll(() => database.reader.exec('CREATE TABLE effect (n int)'));
afterAll(() => database.close());

test.each(SCENES)('the statements of $name are those on file', async (scene) => {
  // A run is settled when its record is committed too, and that is another connection's.
  const transcript = new Transcript(['start', 'idle']);
  // A worker's session listens while the worker works: in no order with that.
  const anchors = new Set<object>();
  const driver = mysql({
    host: hostname,
    port: Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: schema,
    sessions: 'own',
    stream: () => {
      const read = reader();
      const socket: RecordedSocket = new RecordedSocket({
        sent(piece) {
          const said = read.sent(piece);
          if (said === 'holdAnchor') anchors.add(socket);
          if (!anchors.has(socket)) transcript.said(socket, said);
        },
        received: read.received,
      });
      return socket.connect(Number(port), hostname);
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
  const file = `golden/messages-${product}/${scene.name.replaceAll(' ', '-')}.txt`;
  await expect(transcript.text).toMatchFileSnapshot(file);
});

/** Reads the commands that a client sends to the server. https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_command_phase.html */
function reader() {
  const prepared = new Map<number, string>();
  let preparing: string | undefined;
  return {
    sent(piece: Buffer): string {
      // What comes first within an exchange has the number 0.
      if (piece[3] !== 0) return '';
      const text = piece.toString('utf8', 5);
      if (piece[4] === PREPARE) preparing = text;
      if (piece[4] === EXECUTE) return named(prepared.get(piece.readUInt32LE(5)) ?? '');
      return piece[4] === QUERY ? named(text) : '';
    },
    received(piece: Buffer): void {
      if (preparing !== undefined && piece[4] === 0) prepared.set(piece.readUInt32LE(5), preparing);
      preparing = undefined;
    },
  };
}

const QUERY = 0x03;
const PREPARE = 0x16;
const EXECUTE = 0x17;

/** The statements as patterns, those that say most ahead of others. */
const VERBS = [...spelled(schema)]
  .sort((one, other) => other.text.length - one.text.length)
  .map(({ verb, text }) => {
    const parts = text.split(GIVEN).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    return { verb: verb.slice(verb.indexOf('.') + 1), pattern: new RegExp(`^${parts.join('[\\s\\S]*')}$`) };
  });

/** A statement's verb, if it is one of the driver's. */
function named(statement: string): string {
  const [alone = '', commit = ''] = statement.split(/(; COMMIT)$/);
  const known = VERBS.find(({ pattern }) => pattern.test(alone));
  return `${known?.verb ?? alone.replace(/\s+/g, ' ').trim()}${commit}`;
}
