import { setTimeout as sleep } from 'node:timers/promises';
import { DATABASES, eventually } from '@rowlock/app-shared/testing';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { startTestApplication } from './support/test-application.js';
import { send } from './support/user-of-api.js';

describe.each(DATABASES)('on $name', (database) => {
  test('the database stops at once under load: nothing is lost, nothing is done twice, and all come back by themselves', async () => {
    const server = await database.ownServer();
    const app = await startTestApplication({ on: server.url });
    try {
      const ada = await app.user('Ada');
      await Promise.all([app.startWorker('worker-1'), app.startWorker('worker-2')]);
      const sheets = await Promise.all(Array.from({ length: 5 }, (_, each) => ada.create(`Sheet ${each}`)));
      app.emulator.fail({ delayMs: 30, times: 100_000 });

      const accepted: string[] = [];
      const refused: number[] = [];
      let loading = true;
      const load = Promise.all(
        sheets.map(async ({ id }) => {
          while (loading) {
            const { status, body } = await ada.sendBack(id);
            if (status === 202) accepted.push(body.job);
            else refused.push(status);
            await sleep(5);
          }
        }),
      );
      load.catch(() => {});
      const more = async (requests: readonly unknown[], number: number) => {
        const enough = requests.length + number;
        await eventually(async () => requests.length >= enough);
      };
      await more(accepted, 50);
      await server.kill();
      await more(refused, 10);
      expect((await send(`${app.address}/healthz`, 'GET')).status).toBe(200);
      expect((await send(`${app.address}/readyz`, 'GET')).status).toBe(503);
      await server.restart();
      await eventually(async () => (await send(`${app.address}/readyz`, 'GET')).status === 200);
      await more(accepted, 50);
      loading = false;
      await load;

      expect(new Set(refused)).toEqual(new Set([503]));
      await eventually(async () => {
        const outstanding = await app.rowlock.jobs.count({ status: ['new', 'in-progress'] });
        return outstanding.count === 0;
      });
      await expectOnce(server.url, accepted);
      await eventually(async () => {
        const alive = (await app.rowlock.insight.workers()).filter((worker) => worker.alive);
        const names = new Set(alive.map(({ name }) => name));
        return names.has('worker-1') && names.has('worker-2');
      });
    } finally {
      await app.stop();
      await server.stop();
    }
  }, 300_000);
});

interface Written {
  /** The public ids of all jobs that are complete. */
  readonly complete: readonly string[];
  /** How many times the rows of each spreadsheet were written, and how many runs of its jobs there were. */
  readonly sheets: readonly { returns: number; runs: number }[];
}

/** Every accepted request is complete, and the application's own writes happened once for each run. */
async function expectOnce(url: string, accepted: readonly string[]): Promise<void> {
  const { complete, sheets } = await (url.startsWith('mysql:')
    ? writtenToMysql(url)
    : writtenToPostgres(url));
  const found = new Set(complete);
  expect(accepted.filter((job) => !found.has(job))).toEqual([]);
  expect(sheets).toHaveLength(5);
  for (const { returns, runs } of sheets) expect(returns).toBe(runs);
}

async function writtenToPostgres(url: string): Promise<Written> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: jobs } = await client.query<{ id: string }>(
    `SELECT public_id::text AS id FROM rowlock.job WHERE status = 'complete'`,
  );
  const { rows: sheets } = await client.query<{ returns: number; runs: number }>(
    `SELECT returns, (SELECT count(DISTINCT process_id)::int FROM rowlock.job
                      WHERE key = spreadsheet.id::text AND kind = 'spreadsheet.update') AS runs
     FROM spreadsheets.spreadsheet`,
  );
  await client.end();
  return { complete: jobs.map(({ id }) => id), sheets };
}

async function writtenToMysql(url: string): Promise<Written> {
  const client = await createConnection(url);
  const [jobs] = await client.query<(RowDataPacket & { id: string })[]>(
    `SELECT public_id AS id FROM rowlock_job WHERE status = 'complete'`,
  );
  const [sheets] = await client.query<(RowDataPacket & { returns: number; runs: number })[]>(
    `SELECT returns, (SELECT count(DISTINCT process_id) FROM rowlock_job
                      WHERE \`key\` = spreadsheet.id AND kind = 'spreadsheet.update') AS runs
     FROM spreadsheet`,
  );
  await client.end();
  return { complete: jobs.map(({ id }) => id), sheets };
}
