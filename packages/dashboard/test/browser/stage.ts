import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { addressOf, launchChromium } from '@rowlock/app-shared/testing';
import {
  createRowlock,
  type Driver,
  defineHandler,
  type Rowlock,
  type Worker,
  type WorkerOptions,
} from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import { z } from 'zod';
import { createDashboard, type DashboardOptions, type Grant, node } from '../../src/index.js';

const SCREENSHOTS = fileURLToPath(new URL('../screenshots/', import.meta.url));

/** Fails for those without an address. */
export const Mail = defineHandler({
  kind: 'mail.send',
  queue: 'mail',
  payload: z.object({ to: z.string() }),
  attempts: 1,
  run: ({ job }) => {
    if (job.payload.to.startsWith('nobody'))
      throw Object.assign(new Error(`no route to ${job.payload.to}`), { code: 'ENOROUTE' });
  },
});

/** Beside mails. */
export const Letter = defineHandler({
  kind: 'letter',
  queue: 'mail',
  payload: z.object({}),
  run: () => {},
});

export const Report = defineHandler({
  kind: 'report',
  payload: z.object({ of: z.string() }),
  run: () => ({ pages: 3 }),
});

/** Runs until the gate of the newest stage is open, one at a time. */
export const Print = defineHandler({
  kind: 'print',
  queue: 'printers',
  payload: z.object({ page: z.number() }),
  limit: { name: 'printer', max: 1 },
  timeout: '1h',
  run: ({ signal }) => Promise.race([gate.promise, once(signal, 'abort')]).then(() => {}),
});

let gate = Promise.withResolvers<void>();

/** A page, and what the browser has complained of, e.g. of the content security policy. */
export interface Opened {
  readonly page: Page;
  readonly complaints: readonly string[];
  /** What the accessibility checker finds. */
  faults(): Promise<readonly string[]>;
  screenshot(name: string): Promise<void>;
  /** How much wider the page is than the window, in pixels. */
  overflow(): Promise<number>;
  /** Presses Tab until something with this name has the focus. */
  tabTo(name: string): Promise<void>;
}

export interface BrowserStage {
  readonly rowlock: Rowlock<unknown>;
  /** What the next requests may do. */
  grant: Grant;
  /** Lets `Print` end, from now on. */
  openGate(): void;
  /** @param path Below the dashboard's, or an address. */
  open(path: string, options?: BrowserContextOptions): Promise<Opened>;
  /** The address of the web server, where the dashboard is at /ops/rowlock. */
  readonly address: string;
  stop(): Promise<void>;
}

const SERVERS = {
  Postgres: {
    fresh: () => freshDatabase(inject('postgresUrl')),
    driver: (url: string): Driver => postgres({ connectionString: url }),
  },
  MySQL: {
    fresh: () => freshMysqlDatabase(inject('mysqlUrl')),
    driver: (url: string): Driver => mysql({ uri: url }),
  },
} as const;

/** One browser for all, because its start costs more than most tests. */
let browser: Browser;

/** That of all tests that need no history of their own. */
export let stage: BrowserStage;

/** Those of the test that is running. One that fails must not leave its worker to the next. */
const workers: Worker<unknown>[] = [];

/** Gives the tests of this file the browser and the stage, and each of them a stage without jobs, pauses and schedules. */
export function setStage(): void {
  beforeAll(async () => {
    browser = await launchChromium();
    stage = await browserStage();
  });
  afterAll(async () => {
    await browser?.close();
    await stage?.stop();
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop({ drain: 0 })));
    // Pages would go on looking.
    await Promise.all(browser.contexts().map((context) => context.close()));
    stage.grant = 'operator';
    await stage.rowlock.jobs.resume('all');
    for (const { name } of await stage.rowlock.schedules.list()) await stage.rowlock.schedules.remove(name);
    await stage.rowlock.jobs.cancelMany({ created: { from: new Date(0) } });
    await stage.rowlock.jobs.deleteMany({ created: { from: new Date(0) } });
  });
}

export async function startWorker(options: WorkerOptions = {}): Promise<Worker<unknown>> {
  const worker = stage.rowlock.worker(options);
  workers.push(worker);
  await worker.start();
  return worker;
}

/** Settles all jobs of the stage. */
export async function work(): Promise<void> {
  const worker = await startWorker();
  while ((await stage.rowlock.jobs.count({ status: ['new', 'in-progress'] })).count > 0) await sleep(50);
  await worker.stop();
}

/** A dashboard on a fresh database. */
export async function browserStage(on: keyof typeof SERVERS = 'Postgres'): Promise<BrowserStage> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  gate = Promise.withResolvers<void>();
  const server = SERVERS[on];
  const database = await server.fresh();
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const driver = server.driver(database.url);
  const rowlock = createRowlock({ driver, handlers: [Mail, Letter, Report, Print], log });
  await rowlock.migrate();
  const access = (): Grant => stage.grant;
  const logUrl: DashboardOptions['logUrl'] = ({ publicId }) => `https://logs.example/?job=${publicId}`;
  const dashboard = createDashboard({ rowlock, basePath: '/ops/rowlock', access, logUrl });
  const web = createServer(node(dashboard)).listen(0, '127.0.0.1');
  await once(web, 'listening');

  const stage: BrowserStage = {
    rowlock,
    grant: 'operator',
    address: addressOf(web),
    openGate: gate.resolve,
    async open(path, options = {}) {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        locale: 'en-US',
        ...options,
      });
      const opened = openedOf(await context.newPage());
      await opened.page.goto(URL.canParse(path) ? path : `${stage.address}/ops/rowlock${path}`);
      await opened.page.getByRole('heading', { level: 1 }).waitFor();
      return opened;
    },
    async stop() {
      dashboard.close();
      web.close().closeAllConnections();
      await rowlock.close();
      await database.drop();
    },
  };
  return stage;
}

function openedOf(page: Page): Opened {
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return {
    page,
    complaints,
    async faults() {
      await page.evaluate(axe.source);
      const { violations }: AxeResults = await page.evaluate('axe.run()');
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    },
    async screenshot(name) {
      await page.screenshot({ path: `${SCREENSHOTS}${name}.png`, fullPage: true });
    },
    overflow: () =>
      page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    async tabTo(name) {
      // A net: there are fewer things on any screen.
      for (let presses = 0; presses < 200; presses++) {
        await page.keyboard.press('Tab');
        const focused: string | null = await page.evaluate(
          'document.activeElement.ariaLabel ?? document.activeElement.textContent',
        );
        if (focused?.trim() === name) return;
      }
      throw new Error(`No Tab leads to ${name}.`);
    },
  };
}
