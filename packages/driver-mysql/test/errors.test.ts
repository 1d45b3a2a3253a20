import { once } from 'node:events';
import { createServer } from 'node:net';
import { runInNewContext } from 'node:vm';
import { countStates, newJob } from '@rowlock/driver-conformance/internal';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { isRefusal, toDriverError, toUnsent } from '../src/errors.js';
import { mysql } from '../src/index.js';
import { product, serverUrl } from './server.js';

/** A driver on a database of its own that is migrated, and another client of that database. */
async function migrated() {
  const { url, drop } = await freshMysqlDatabase(serverUrl);
  onTestFinished(drop);
  const driver = mysql({ uri: url });
  onTestFinished(() => driver.close());
  await driver.schema.migrate();
  const client = await createConnection(url);
  onTestFinished(() => client.end());
  return { driver, client };
}

const forbidden = (option: string, product: string): Error =>
  Object.assign(
    new Error(
      `The ${product} server is running with the ${option} option so it cannot execute this statement`,
    ),
    { errno: 1290 },
  );

test.each([
  ['--read-only', 'ConnectionLost'],
  ['--super-read-only', 'ConnectionLost'],
  ['--innodb-read-only', 'ConnectionLost'],
  ['--secure-file-priv', 'Unknown'],
  ['--skip-grant-tables', 'Unknown'],
] as const)('a statement that %s forbids is %s', (option, code) => {
  for (const product of ['MySQL', 'MariaDB'])
    expect(toDriverError(forbidden(option, product))).toMatchObject({ code });
});

test.each([
  ['a server', 1040, 'Too many connections'],
  ['an account', 1203, 'User has already more than max_user_connections active connections'],
  [
    'an account in an hour',
    1226,
    'User has exceeded the max_connections_per_hour resource (current value: 1)',
  ],
])('%s that accepts no more connections has reached a limit, and is not lost', (_, errno, message) => {
  const error = toDriverError(Object.assign(new Error(message), { errno }));
  expect(error).toMatchObject({
    code: 'OutOfResources',
    isRetryable: true,
    message: expect.stringContaining(`accepts no more connections: raise its limit`),
  });
  expect(isRefusal(Object.assign(new Error(message), { errno }))).toBe(true);
});

test.each([
  [1062, 'UniqueViolation', "Duplicate entry 'Connection lost: pump 7' for key 'alert.title'"],
  [1366, 'InvalidInput', "Incorrect integer value: 'pool is closed' for column 'n' at row 1"],
  [1644, 'Unknown', "can't write file"],
])("a user's words in what the server says are no lost connection: %i", (errno, code, message) => {
  expect(toDriverError(Object.assign(new Error(message), { errno }))).toMatchObject({ code });
});

test.each([
  [3032, 'ConnectionLost', 'The server is currently in offline mode'],
  [1129, 'ConnectionLost', "Host '10.0.0.7' is blocked because of many connection errors"],
  [3118, 'PermissionDenied', "Access denied for user 'app'@'%'. Account is locked."],
  [4151, 'PermissionDenied', 'Access denied, this account is locked'],
  [1862, 'PermissionDenied', 'Your password has expired.'],
  [1130, 'PermissionDenied', "Host '10.0.0.7' is not allowed to connect to this MySQL server"],
  [1467, 'Deadlock', 'Failed to read auto-increment value from storage engine'],
  [1614, 'Deadlock', 'XA_RBDEADLOCK: Transaction branch was rolled back: deadlock was detected'],
  [1047, 'ConnectionLost', 'WSREP has not yet prepared node for application use'],
  [1180, 'SerializationFailure', 'Got error 6 during COMMIT'],
  [1181, 'ConnectionLost', 'Got error 6 during ROLLBACK'],
  [3101, 'SerializationFailure', 'Plugin instructed the server to rollback the current transaction.'],
])('what a server says of itself is told apart: %i', (errno, code, message) => {
  expect(toDriverError(Object.assign(new Error(message), { errno }))).toMatchObject({ code });
});

test.each(['EADDRNOTAVAIL', 'EMFILE', 'ECONNABORTED'])(
  'a connection that cannot be made is lost: %s',
  (code) => {
    const error = Object.assign(new Error(`connect ${code} 127.0.0.1:3306`), {
      errno: -1,
      code,
      syscall: 'connect',
    });
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

test('a lost connection is told by its code, where the client has copied a number that was not there', () => {
  const error = Object.assign(new Error('Connection lost: The server closed the connection.'), {
    code: 'PROTOCOL_CONNECTION_LOST',
    errno: undefined,
  });
  expect(toDriverError(error)).toMatchObject({ code: 'ConnectionLost' });
});

test('a file that is not there is no lost connection, and the socket of a server is', () => {
  const missing = (syscall: string): Error =>
    Object.assign(new Error(`ENOENT: no such file, ${syscall}`), { errno: -2, code: 'ENOENT', syscall });
  expect(toDriverError(missing('open'))).toMatchObject({ code: 'Unknown' });
  expect(toDriverError(missing('connect'))).toMatchObject({ code: 'ConnectionLost' });
});

test('where the database is missing, migrating is not what to do', async () => {
  const nowhere = new URL(serverUrl);
  nowhere.pathname = '/nowhere_at_all';
  const driver = mysql({ uri: nowhere.href });
  await expect(driver.schema.migrate()).rejects.toMatchObject({
    code: 'SchemaOutdated',
    message: expect.stringMatching(/^The database is not there: create it first\./),
  });
  await driver.close();
});

test('a host of several addresses that cannot be connected to says why', () => {
  const refused = (address: string) =>
    Object.assign(new Error(`connect ECONNREFUSED ${address}:3306`), { code: 'ECONNREFUSED' });
  const error = new AggregateError([refused('::1'), refused('127.0.0.1')]);
  expect(toDriverError(error)).toMatchObject({
    code: 'ConnectionLost',
    message: expect.stringContaining('connect ECONNREFUSED ::1:3306'),
    cause: error,
  });
});

test('what is asked after the driver is closed has no connection', async () => {
  const driver = mysql({ uri: 'mysql://localhost/rowlock' });
  await driver.close();
  await expect(driver.workers.list()).rejects.toMatchObject({ code: 'ConnectionLost' });
});

test('a server that keeps no more prepared statements is told of with what to do', () => {
  const error = Object.assign(new Error("Can't create more than max_prepared_stmt_count statements"), {
    errno: 1461,
  });
  expect(toDriverError(error)).toMatchObject({
    code: 'Unknown',
    message: expect.stringMatching(/raise its max_prepared_stmt_count, .*maxPreparedStatements/),
  });
});

test('with few prepared statements a connection works, and keeps no more', async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  const driver = mysql({ uri: fresh.url, maxConnections: 1, maxPreparedStatements: 2 });
  try {
    await driver.schema.migrate();
    const held = driver.claims.session({ idleLimitMs: 60_000 });
    for (const n of [1, 2, 3, 4, 5]) await held.handle.execute(`SELECT ${n}`);
    const [[open]] = await held.handle.query("SHOW SESSION STATUS LIKE 'Com_stmt_prepare'");
    const [[closed]] = await held.handle.query("SHOW SESSION STATUS LIKE 'Com_stmt_close'");
    expect(Number(open.Value) - Number(closed.Value)).toBeLessThanOrEqual(2);
    await held.rollback();
  } finally {
    await driver.close();
    await fresh.drop();
  }
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

test('whatever keeps a connection from being made is a lost connection: a server that speaks something else', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = Object(server.address());
  const driver = mysql({ host: '127.0.0.1', port, user: 'u', database: 'd' });
  onTestFinished(() => driver.close());
  const lost = { code: 'ConnectionLost', isRetryable: true };
  await expect(countStates(driver, {})).rejects.toMatchObject(lost);
  const worker = { name: 'w', host: 'h', pid: 1, queues: [] };
  await expect(driver.workers.anchor(worker)).rejects.toMatchObject(lost);
});

test.each([{ code: 'ESERVFAIL' }, { code: 'EBADMSG', errno: -74 }, {}])(
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

test('a missing column that has the name of one of Rowlock may be of a trigger, and the error says so', async () => {
  const { driver, client } = await migrated();
  await client.query('CREATE TABLE audited (id INT)');
  await client.query(
    'CREATE TRIGGER audit BEFORE INSERT ON rowlock_job FOR EACH ROW INSERT INTO audited (queue) VALUES (NEW.queue)',
  );
  await expect(driver.jobs.enqueue([newJob()])).rejects.toMatchObject({
    code: 'SchemaOutdated',
    message: expect.stringMatching(/run rowlock\.migrate\(\).* a trigger on these tables names a column/),
  });
});

test.each([
  ['a table', 'INSERT INTO audit VALUES (1)'],
  ['a procedure', 'CALL missing_one(1)'],
  ['a function', 'SET NEW.priority = missing_one(1)'],
  ['a column', 'INSERT INTO audited (nope) VALUES (NEW.id)'],
  ['a column in a condition', 'SET NEW.priority = (SELECT MAX(a.missing) FROM audited AS a)'],
])("%s that is missing in an application's own trigger is not told as of Rowlock", async (_, statement) => {
  const { driver, client } = await migrated();
  await client.query('CREATE TABLE audited (id INT)');
  await client.query(`CREATE TRIGGER audit BEFORE INSERT ON rowlock_job FOR EACH ROW ${statement}`);
  await expect(driver.jobs.enqueue([newJob()])).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringMatching(/^A table, a column or a routine that is not one of Rowlock's/),
  });
});

test("what an application's trigger signals is of that trigger, under whatever number", async () => {
  const { driver, client } = await migrated();
  for (const errno of [1021, 1114, 1040, 1053, 2013, 1836]) {
    await client.query('DROP TRIGGER IF EXISTS refuse');
    await client.query(`CREATE TRIGGER refuse BEFORE INSERT ON rowlock_job FOR EACH ROW
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not welcome', MYSQL_ERRNO = ${errno}`);
    await expect(driver.jobs.enqueue([newJob()])).rejects.toMatchObject({
      code: 'Unknown',
      isRetryable: false,
      message: expect.stringMatching(/^A trigger or a routine in the database signals this.* not welcome/),
    });
  }
});

test.each([
  [
    'ALTER TABLE rowlock_job DROP INDEX job_unique',
    'Unknown',
    /^An index that Rowlock needs was dropped.*job_unique/,
  ],
  ['ALTER TABLE rowlock_job ALTER INDEX job_unique INVISIBLE', 'Unknown', /^An index .* made invisible/],
])(
  'a statement that needs an index says what to do when it is not there: %s',
  async (statement, code, message) => {
    const { driver, client } = await migrated();
    await client.query(product === 'mariadb' ? statement.replace('INVISIBLE', 'IGNORED') : statement);
    await expect(driver.jobs.uniqueJobs('k', ['one'])).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  },
);

test('a server that writes its log by statements is unsuitable', () => {
  const error = toDriverError(Object.assign(new Error('impossible to write to binary log'), { errno: 1665 }));
  expect(error).toMatchObject({
    code: 'EngineUnsuitable',
    message: expect.stringContaining('binlog_format ROW'),
  });
});

const FROM_THE_START = { queue: 'q', kinds: ['k'], line: { priority: -32_768, id: 0n }, busy: [], limit: 1 };

test('a server that accepts encrypted connections alone refuses the login, and says what to pass', () => {
  const message = 'Connections using insecure transport are prohibited while --require_secure_transport=ON.';
  expect(toUnsent(Object.assign(new Error(message), { errno: 3159 }))).toMatchObject({
    code: 'PermissionDenied',
    isUnsent: true,
    message: expect.stringContaining('pass `ssl`, or `ssl-mode`'),
  });
});

test('a login that the server refuses says nothing of a job: nothing was sent', async () => {
  const url = new URL(serverUrl);
  url.pathname = '/rowlock';
  url.password = 'of last year';
  const driver = mysql({ uri: url.href });
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

test.each([
  [3, "Error writing file '/tmp/MYfd=12' (OS errno 28 - No space left on device)", 'OutOfResources'],
  [3, 'Error writing file \'./binlog.000002\' (Errcode: 28 "No space left on device")', 'OutOfResources'],
  [1030, "Got error 28 - 'No space left on device' from storage engine", 'OutOfResources'],
  [1021, 'Disk full (/tmp/#sql); waiting for someone to free some space...', 'OutOfResources'],
  [1030, "Got error 168 - 'Unknown (generic) error from engine' from storage engine", 'Unknown'],
  [1644, 'No space left in the warehouse', 'Unknown'],
])('a full disk of the server is a limit: %i %s', (errno, message, code) => {
  expect(toDriverError(Object.assign(new Error(message), { errno }))).toMatchObject({ code });
});
