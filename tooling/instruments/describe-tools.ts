import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { databases } from './databases.js';

const run = promisify(execFile);
const program = fileURLToPath(new URL('worker.mjs', import.meta.url));

/** Runs a worker under each of these tools, on each database. */
export function describeTools(tools: readonly string[]): void {
  describe.each(databases)('on $name', ({ name, fresh, open }) => {
    test.each(tools)('under %s all jobs are complete, and all spans end', async (tool) => {
      const database = await fresh();
      const driver = open(database.url);
      try {
        await driver.schema.migrate();
        const env = { ...process.env, TOOL: tool, DRIVER: name, DATABASE_URL: database.url };
        const { stdout } = await run(process.execPath, [program], { env, timeout: 60_000 });
        const { counts, begun, unended } = JSON.parse(stdout);
        expect(counts).toMatchObject({ complete: 118, error: 2 });
        expect(begun).toBeGreaterThan(100);
        expect(unended).toEqual([]);
      } finally {
        await driver.close();
        await database.drop();
      }
    });
  });
}
