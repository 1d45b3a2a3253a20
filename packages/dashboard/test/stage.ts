import { createRowlock, type Rowlock } from '@rowlock/core';
import { defineHandler, type PostgresTransaction, postgres } from '@rowlock/driver-postgres';
import { type FreshDatabase, sharedDatabases } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { afterAll, inject, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createDashboard, type Dashboard, type DashboardOptions } from '../src/index.js';

export const Mail = defineHandler({
  kind: 'mail.send',
  queue: 'mail',
  payload: z.object({ to: z.string() }),
  attempts: 1,
  run: ({ job }) => {
    throw Object.assign(new Error(`no route to ${job.payload.to}`), { code: 'ENOROUTE' });
  },
});

export const Report = defineHandler({
  kind: 'report',
  payload: z.object({ of: z.string() }),
  run: () => ({ pages: 3 }),
});

/** Whose payloads nobody can read in the database. */
export const Secret = defineHandler({
  kind: 'secret',
  payload: z.object({ of: z.string() }),
  codec: { encode: (json) => btoa(json), decode: (text) => atob(text) },
  run: () => null,
});

export interface Stage {
  readonly rowlock: Rowlock<PostgresTransaction>;
  readonly dashboard: Dashboard;
  /** The faults that were logged. */
  readonly faults: readonly object[];
  get(path: string, init?: RequestInit): Promise<Response>;
  /** What a call of the page answers. */
  read<Answer>(call: string): Promise<Answer>;
  /** As the page sends it. */
  post(path: string, body: unknown, init?: RequestInit): Promise<Response>;
}

/**
 * Gives each test of a file a dashboard of a Rowlock on an empty database, for an operator at `/ops/rowlock` unless the options
 * differ.
 */
export function stages(): (options?: Partial<DashboardOptions>) => Promise<Stage> {
  const databases = sharedDatabases(inject('postgresUrl'));
  afterAll(() => databases.drop());
  return async (options = {}) => stageOn(await databases.take(), options);
}

async function stageOn(
  { url, drop }: FreshDatabase,
  { access = () => 'operator', basePath = '/ops/rowlock', ...options }: Partial<DashboardOptions>,
): Promise<Stage> {
  onTestFinished(drop);
  const driver = postgres({ connectionString: url });
  const silent = (): void => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const rowlock = createRowlock({ driver, handlers: [Mail, Report, Secret], log });
  onTestFinished(() => rowlock.close());
  await rowlock.migrate();
  const faults: object[] = [];
  const dashboard = createDashboard({
    rowlock,
    basePath,
    access,
    log: { error: (fields) => faults.push(fields) },
    ...options,
  });
  onTestFinished(() => dashboard.close());
  const get = (path: string, init?: RequestInit): Promise<Response> =>
    dashboard.fetch(new Request(`http://host.example/ops/rowlock${path}`, init));
  const read = async <Answer>(call: string): Promise<Answer> =>
    JSON.parse(await (await get(`/api/${call}`)).text());
  const post = (path: string, body: unknown, init: RequestInit = {}): Promise<Response> =>
    get(path, {
      method: 'POST',
      body: JSON.stringify(body),
      ...init,
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...init.headers },
    });
  return { rowlock, dashboard, faults, get, read, post };
}

/** Resolves once this many jobs are settled by a worker, which then stops. */
export async function worked(rowlock: Rowlock<PostgresTransaction>, jobs: number): Promise<void> {
  const worker = rowlock.worker();
  let left = jobs;
  const ended = new Promise<void>((resolve) => {
    worker.on('settled', (_, endings) => {
      left -= endings.size;
      if (left <= 0) resolve();
    });
  });
  await worker.start();
  await ended;
  await worker.stop();
}
