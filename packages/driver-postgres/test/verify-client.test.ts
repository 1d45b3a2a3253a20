import '@rowlock/servers/vitest';
import { createRequire } from 'node:module';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { CLIENT, verifyClient } from '../src/connection/verify-client.js';
import { postgres } from '../src/index.js';

const require = createRequire(import.meta.url);

/** The client once more, as a second installation of it would be loaded. */
function secondCopy(): typeof pg {
  const loaded = Object.entries(require.cache).filter(([file]) => /node_modules[\\/]pg[\\/]/.test(file));
  for (const [file] of loaded) delete require.cache[file];
  const copy: typeof pg = require('pg');
  Object.assign(require.cache, Object.fromEntries(loaded));
  return copy;
}

function poolOf({ Pool }: typeof pg, options: pg.PoolConfig): pg.Pool {
  const pool = new Pool(options);
  onTestFinished(() => pool.end());
  return pool;
}

test('the oldest version that is taken is that of the manifest', () => {
  expect(manifest.peerDependencies).toEqual({ [CLIENT.name]: `^${CLIENT.oldest.join('.')}.0` });
});

test('a pool of a second copy of the client is a warning, if its pipeline has no effect', async () => {
  const second = secondCopy();
  expect(second.Client).not.toBe(pg.Client);
  class Traced extends pg.Client {}
  const silent = [
    poolOf(pg, { pipeline: true }),
    poolOf(pg, { pipeline: true, Client: Traced }),
    poolOf(second, {}),
  ];
  expect(silent.map(verifyClient)).toEqual([[], [], []]);

  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  onTestFinished(drop);
  const driver = postgres({ pool: poolOf(second, { connectionString: url, pipeline: true }) });
  await driver.schema.migrate();
  expect((await driver.schema.verify(false)).warnings).toEqual([
    expect.stringContaining("are of another copy of pg than the driver's"),
  ]);
  await driver.close();
});
