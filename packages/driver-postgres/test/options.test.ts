import pg from 'pg';
import { expect, test } from 'vitest';
import { postgres } from '../src/index.js';

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
  'maxConnections: %s is refused',
  (maxConnections) => {
    expect(() => postgres({ maxConnections })).toThrow(
      expect.objectContaining({
        code: 'ROWLOCK_INVALID_INPUT',
        message: expect.stringContaining('maxConnections'),
      }),
    );
  },
);

test.each([0, '25h', '30d'] as const)(
  'an answerTimeout in which no server answers, or beyond a day, is refused: %s',
  (answerTimeout) => {
    expect(() => postgres({ answerTimeout })).toThrow(
      expect.objectContaining({
        code: 'ROWLOCK_INVALID_INPUT',
        message: expect.stringContaining('answerTimeout'),
      }),
    );
  },
);

test("pg's own word for the most connections is refused, and says which one to pass", () => {
  const asPg: object = { max: 200 };
  expect(() => postgres(asPg)).toThrow(
    expect.objectContaining({
      code: 'ROWLOCK_INVALID_INPUT',
      message: expect.stringMatching(/'max'.*maxConnections/),
    }),
  );
});

test("maxConnections beside an application's pool is refused, and says where to set it", () => {
  const pool = new pg.Pool();
  expect(() => postgres({ pool, maxConnections: 50 })).toThrow(
    expect.objectContaining({
      code: 'ROWLOCK_INVALID_INPUT',
      message: expect.stringMatching(/maxConnections.*'max'/),
    }),
  );
});

test("an application's pool whose answers are no texts is refused", () => {
  const pool = new pg.Pool(Object.assign({ max: 1 }, { binary: true }));
  expect(() => postgres({ pool })).toThrow(
    expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT', message: expect.stringContaining("'binary'") }),
  );
});

test.each([{ connectionString: 'postgres://localhost/app' }, { host: 'localhost' }, { ssl: true }])(
  "beside an application's pool, what says where the database is would be passed over, and is refused: %j",
  (other) => {
    const pool = new pg.Pool();
    const [name = ''] = Object.keys(other);
    expect(() => postgres({ pool, ...other })).toThrow(
      expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT', message: expect.stringContaining(name) }),
    );
    expect(() => postgres({ pool, [name]: undefined })).not.toThrow();
  },
);

test('sessions of an unknown sort are refused', () => {
  const misspelt: object = { sessions: 'Shared' };
  expect(() => postgres(misspelt)).toThrow(
    expect.objectContaining({
      code: 'ROWLOCK_INVALID_INPUT',
      message: expect.stringMatching(/sessions.*own.*Shared/),
    }),
  );
});

test('a pool that is given to several drivers is watched once', () => {
  const pool = new pg.Pool();
  const listeners = () => ['error', 'connect'].map((event) => pool.listenerCount(event));
  postgres({ pool });
  const once = listeners();
  for (const schema of ['a', 'b', 'c']) postgres({ pool, schema });
  expect(listeners()).toEqual(once);
});

test('as a tx a pool is refused, whose statements would be on different connections, and so is what is none', async () => {
  const pool = new pg.Pool();
  const driver = postgres();
  const refused = expect.objectContaining({
    code: 'InvalidInput',
    message: expect.stringContaining('what its connect() gives'),
  });
  expect(() => driver.join(pool)).toThrow(refused);
  expect(() => driver.join(JSON.parse('{}'))).toThrow(refused);
  expect(() => driver.join(new pg.Client())).not.toThrow();
  await driver.close();
  await pool.end();
});

test('an unknown option is refused, with the name that may be meant', () => {
  const odd: object = { maxConnection: 1 };
  expect(() => postgres({ ...{ host: 'localhost' }, ...odd })).toThrow(
    expect.objectContaining({
      code: 'ROWLOCK_INVALID_INPUT',
      message: expect.stringMatching(/^postgres\(\) has no "maxConnection".*maxConnections meant/),
    }),
  );
});

test.each([['maxConnections'], ['answerTimeout'], ['sessions']])(
  '%s that is anything else is refused in a sentence',
  (name) => {
    for (const value of [Symbol('s'), Object.create(null), [Symbol('s')], 5n, {}])
      expect(() => postgres({ ...{ host: 'localhost' }, [name]: value })).toThrow(
        expect.objectContaining({
          code: 'ROWLOCK_INVALID_INPUT',
          message: expect.stringContaining(name),
        }),
      );
  },
);

test.each([null, 5, 'x', Symbol('s'), []])('options that are none are refused: %o', (options) => {
  expect(() => postgres(Object(Object({ options })).options)).toThrow(
    expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT' }),
  );
});

test('a schema whose name is too long for the channel of its workers is refused', () => {
  const pool = new pg.Pool();
  postgres({ pool, schema: 'x'.repeat(55) });
  expect(() => postgres({ pool, schema: 'ü'.repeat(28) })).toThrow("'schema' must have at most 55 bytes");
});

const TLS = 'postgres://ada:hunter2@localhost/app?';

test.each([
  'ssl-mode=hunter2',
  'sslMode=require',
  'tls=true',
  'requiressl=1',
  'ssl_min_protocol_version=TLSv1.3',
  'sslmode=REQUIRE',
  'sslmode=',
  'ssl=false',
])(
  'what a connectionString says of TLS and node-postgres would pass over is refused, without its value: %s',
  (query) => {
    const [name = ''] = query.split('=');
    const message = expect.stringMatching(new RegExp(`^(?!.*hunter2).*'${name}'.*verify-full`));
    expect(() => postgres({ connectionString: TLS + query })).toThrow(
      expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT', message }),
    );
  },
);

test.each(['sslmode=require', 'sslmode=disable', 'ssl=true', 'sslrootcert=/etc/ca.pem'])(
  'the option ssl is refused beside what replaces it in a connectionString: %s',
  (query) => {
    const [name = ''] = query.split('=');
    expect(() => postgres({ connectionString: TLS + query, ssl: { ca: 'own' } })).toThrow(
      expect.objectContaining({
        code: 'ROWLOCK_INVALID_INPUT',
        message: expect.stringContaining(`no effect beside '${name}'`),
      }),
    );
    expect(() => postgres({ connectionString: TLS + query })).not.toThrow();
  },
);

test('what a connectionString says beside TLS is left to node-postgres', () => {
  const query = 'sslmode=no-verify&sslnegotiation=direct&uselibpqcompat=true&channel_binding=require';
  expect(() => postgres({ connectionString: TLS + query })).not.toThrow();
  expect(() => postgres({ connectionString: `${TLS}application_name=tls`, ssl: true })).not.toThrow();
});
