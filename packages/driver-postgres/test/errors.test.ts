import { once } from 'node:events';
import { createServer } from 'node:net';
import { runInNewContext } from 'node:vm';
import '@rowlock/servers/vitest';
import { countStates, newJob } from '@rowlock/driver-conformance/internal';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { isRefusal, toDriverError } from '../src/errors.js';
import { postgres } from '../src/index.js';

test.each([
  ['idle_session_timeout', 'SELECT 1'],
  ['idle_in_transaction_session_timeout', 'BEGIN'],
])('a session that the server ends by its %s is a lost connection', async (limit, statement) => {
  const client = new pg.Client(inject('postgresUrl'));
  await client.connect();
  // The end of the socket is an error of its own, later.
  const ended = new Promise<unknown>((resolve) => client.on('error', resolve));
  // In one flight: between two it could idle for too long already.
  await client.query(`SET ${limit} = '20ms'; ${statement}`);
  expect(toDriverError(await ended)).toMatchObject({ code: 'ConnectionLost' });
});

test('where nothing listens at any of the addresses of a name, the first says why', () => {
  const refused = (address: string): Error =>
    Object.assign(new Error(`connect ECONNREFUSED ${address}`), { code: 'ECONNREFUSED' });
  // As Node tells of it: without a word of its own.
  const error = new AggregateError([refused('::1:5432'), refused('127.0.0.1:5432')]);
  expect(toDriverError(error)).toMatchObject({
    code: 'ConnectionLost',
    message: 'The connection to Postgres was lost, or could not be made. connect ECONNREFUSED ::1:5432',
    cause: error,
  });
});

test('a connection that is not made in time is lost, outside the pool as in it', async () => {
  const server = createServer((socket) => void socket.resume());
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'u', connectionTimeoutMillis: 50 });
  client.on('error', () => {});
  const error: unknown = await client.connect().catch((reason: unknown) => reason);
  expect(toDriverError(error)).toMatchObject({ code: 'ConnectionLost' });
});

test("a statement that is not answered within the application's query_timeout is a lost connection", async () => {
  const client = new pg.Client({ connectionString: inject('postgresUrl'), query_timeout: 20 });
  await client.connect();
  onTestFinished(() => client.end());
  const error: unknown = await client.query('SELECT pg_sleep(1)').catch((reason: unknown) => reason);
  expect(toDriverError(error)).toMatchObject({ code: 'ConnectionLost' });
});

test('a pool that has been closed is a lost connection', async () => {
  const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
  await pool.end();
  const error: unknown = await pool.query('SELECT 1').catch((reason: unknown) => reason);
  expect(toDriverError(error)).toMatchObject({ code: 'ConnectionLost' });
});

test('a user that may not log in is told so', async () => {
  const url = new URL(inject('postgresUrl'));
  url.username = 'nobody_has_this_name';
  const client = new pg.Client(url.href);
  client.on('error', () => {});
  const error: unknown = await client.connect().catch((reason: unknown) => reason);
  expect(toDriverError(error)).toMatchObject({
    code: 'PermissionDenied',
    message: expect.stringMatching(/may not log in/),
  });
});

test('a JSON that is nested deeper than the server takes is refused as input', async () => {
  const client = new pg.Client(inject('postgresUrl'));
  await client.connect();
  onTestFinished(() => client.end());
  const deep = client.query("SELECT repeat('[', 1000000)::jsonb");
  const error: unknown = await deep.catch((reason: unknown) => reason);
  expect(toDriverError(error)).toMatchObject({ code: 'InvalidInput' });
});

test.each(['EADDRNOTAVAIL', 'EMFILE', 'ECONNABORTED'])(
  'a connection that cannot be made is lost: %s',
  (code) => {
    const error = Object.assign(new Error(`connect ${code} 127.0.0.1:5432`), { code });
    expect(toDriverError(error)).toMatchObject({ code: 'ConnectionLost' });
  },
);

test.each(['EPROTO', 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'ERR_SSL_SSL/TLS_ALERT_BAD_RECORD_MAC'])(
  'a connection on which TLS breaks off during a statement is lost: %s',
  (code) => {
    const error = Object.assign(new Error('error:0A000119:SSL routines::bad record mac'), { code });
    expect(toDriverError(error)).toMatchObject({ code: 'ConnectionLost', isRetryable: true });
  },
);

test('where the queue of notifications is full the server is short of something, and no value is at fault', () => {
  const full = { code: '54000', routine: 'PreCommit_Notify' };
  const error = Object.assign(new Error('too many notifications in the NOTIFY queue'), full);
  expect(toDriverError(error)).toMatchObject({ code: 'OutOfResources', isRetryable: true });
});

test('an error of another realm, as under jest, is classified like one of this', () => {
  const error: unknown = runInNewContext(
    "new AggregateError([Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })])",
  );
  expect(toDriverError(error)).toMatchObject({
    code: 'ConnectionLost',
    message: expect.stringContaining('connect ECONNREFUSED'),
  });
});

test('whatever keeps a connection from being made is a lost connection: a server that breaks TLS off', async () => {
  // It agrees to TLS, and then speaks something else.
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('S');
      socket.once('data', () => void socket.end('no TLS'));
    });
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = Object(server.address());
  const driver = postgres({ host: '127.0.0.1', port, user: 'u', ssl: { rejectUnauthorized: false } });
  onTestFinished(() => driver.close());
  const lost = { code: 'ConnectionLost', isRetryable: true };
  await expect(countStates(driver, {})).rejects.toMatchObject(lost);
  const worker = { name: 'w', host: 'h', pid: 1, queues: [] };
  await expect(driver.workers.anchor(worker)).rejects.toMatchObject(lost);
});

test.each([{ code: 'ESERVFAIL' }, { code: 'EBADMSG' }, {}])(
  'an error without a known code is a lost connection while one is made, and unknown later: %j',
  (given) => {
    const error = Object.assign(new Error('queryA ESERVFAIL db.example'), given);
    expect(toDriverError(error, 'ConnectionLost')).toMatchObject({
      code: 'ConnectionLost',
      isRetryable: true,
    });
    expect(toDriverError(error)).toMatchObject({ code: 'Unknown' });
  },
);

test('what the server itself refuses while a connection is made keeps its cause', async () => {
  const url = new URL(inject('postgresUrl'));
  url.pathname = '/no_such_database';
  const driver = postgres({ connectionString: url.href });
  onTestFinished(() => driver.close());
  await expect(countStates(driver, {})).rejects.toMatchObject({
    code: 'Unknown',
    isRetryable: false,
    isUnsent: true,
    message: expect.stringMatching(/^The database is not there: create it first/),
  });
});

test('a server that accepts no more connections has reached a limit, and is not lost', () => {
  const error = Object.assign(new Error('too many connections for role "app"'), { code: '53300' });
  expect(isRefusal(error)).toBe(true);
  expect(toDriverError(error)).toMatchObject({
    code: 'OutOfResources',
    isRetryable: true,
    message: expect.stringMatching(/accepts no more connections: raise its limit.* for role "app"/),
  });
});

test.each([
  ['a table', 'INSERT INTO audit VALUES (1)'],
  ['a column', 'NEW.kind := NEW.absent'],
  ['a function', 'PERFORM absent(1)'],
  ['a schema', 'PERFORM absent.tell(1)'],
])("%s that is missing in an application's own trigger is not told as of Rowlock", async (_, statement) => {
  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  onTestFinished(drop);
  const driver = postgres({ connectionString: url });
  onTestFinished(() => driver.close());
  await driver.schema.migrate();
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`
    CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement}; RETURN NEW; END $$;
    CREATE TRIGGER audit BEFORE INSERT ON rowlock.job FOR EACH ROW EXECUTE FUNCTION audit()`);
  await client.end();
  await expect(driver.jobs.enqueue([newJob()])).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringMatching(/^A function or a trigger.*(?!migrate)/),
  });
});

test("what an application's trigger raises is of that trigger, under whatever code", async () => {
  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  onTestFinished(drop);
  const driver = postgres({ connectionString: url });
  onTestFinished(() => driver.close());
  await driver.schema.migrate();
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'not welcome' USING ERRCODE = NEW.kind; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON rowlock.job FOR EACH ROW EXECUTE FUNCTION refuse()`);
  await client.end();
  for (const kind of ['53400', '53100', '53300', '57P01', '57P03', '08006', '25006', '25P03'])
    await expect(driver.jobs.enqueue([newJob({ kind })])).rejects.toMatchObject({
      code: 'Unknown',
      isRetryable: false,
      message: expect.stringMatching(/^A function or a trigger in the database raises this.* not welcome/),
    });
});

test('a message that the server refuses is no lost connection, and a pooler that ends one is', async () => {
  const client = new pg.Client(inject('postgresUrl'));
  await client.connect();
  onTestFinished(() => client.end());
  const refused: unknown = await client
    .query('SELECT $1::text, $2::text', ['one'])
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: '08P01' });
  expect(toDriverError(refused)).toMatchObject({ code: 'Unknown', isRetryable: false });
  const ended = Object.assign(new Error('query_wait_timeout'), { code: '08P01', severity: 'FATAL' });
  expect(toDriverError(ended)).toMatchObject({ code: 'ConnectionLost' });
});

const FROM_THE_START = { queue: 'q', kinds: ['k'], line: { priority: -32_768, id: 0n }, busy: [], limit: 1 };

test('a login that the server refuses says nothing of a job: nothing was sent', async () => {
  const url = new URL(inject('postgresUrl'));
  url.password = 'of last year';
  const driver = postgres({ connectionString: url.href });
  onTestFinished(() => driver.close());
  const refused = {
    code: 'PermissionDenied',
    isRetryable: false,
    isUnsent: true,
    message: expect.stringMatching(/^The database user may not log in/),
  };
  await expect(driver.jobs.enqueue([newJob()])).rejects.toMatchObject(refused);
  const held = driver.claims.session({ idleLimitMs: 60_000 });
  await expect(held.claim(FROM_THE_START)).rejects.toMatchObject(refused);
  await held.rollback();
});

test('a pooler that lends a session for one statement is unsuitable, and no lost connection', () => {
  const message = 'transaction blocks not allowed in statement pooling mode';
  const ended = Object.assign(new Error(message), { code: '08P01', severity: 'FATAL' });
  expect(toDriverError(ended)).toMatchObject({
    code: 'EngineUnsuitable',
    isRetryable: false,
    message: expect.stringMatching(/set its pool_mode to transaction/),
  });
});
