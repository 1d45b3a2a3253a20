import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { databases } from './databases.js';

const run = promisify(execFile);
const program = fileURLToPath(new URL('worker.mjs', import.meta.url));

/**
 * dd-trace looks for the query that it sees sent at the end of the client's queue, and else takes the active one. A pipelining client has
 * sent it at once. The active one may have failed already, when Postgres has answered and is not yet ready: then nothing ends the span.
 */
const BEHIND_A_FAILURE = 'ROLLBACK TO SAVEPOINT rowlock_handler';

describe.each(databases)('on $name', ({ name, fresh, open }) => {
  test.each(['OpenTelemetry', 'OpenTelemetry with comments', 'dd-trace'])(
    'under %s all jobs are complete, and all spans end',
    async (tool) => {
      const database = await fresh();
      const driver = open(database.url);
      try {
        await driver.migrate();
        const env = { ...process.env, TOOL: tool, DRIVER: name, DATABASE_URL: database.url };
        const { stdout } = await run(process.execPath, [program], { env, timeout: 60_000 });
        const { counts, begun, unended } = JSON.parse(stdout);
        expect(counts).toMatchObject({ complete: 118, error: 2 });
        expect(begun).toBeGreaterThan(100);
        const mayBeLost = tool === 'dd-trace' && name === 'postgres' ? [BEHIND_A_FAILURE] : [];
        expect(unended.filter((each: string) => !mayBeLost.includes(each))).toEqual([]);
      } finally {
        await driver.close();
        await database.drop();
      }
    },
  );
});
