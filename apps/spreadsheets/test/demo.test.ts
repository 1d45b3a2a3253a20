import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DATABASES, eventually } from '@rowlock/app-shared/testing';
import { type FreshDatabase, freePort } from '@rowlock/servers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserOfApi } from './support/user-of-api.js';

const ENTRY = fileURLToPath(new URL('../dist/demo.js', import.meta.url));

interface Running {
  readonly process: ChildProcess;
  /** All that it has written. */
  said: string;
}

describe.each(DATABASES)('on $name', (on) => {
  let database: FreshDatabase;
  let folder: string;
  let demos: Running[];
  let demo: Running;

  beforeEach(async () => {
    database = await on.fresh();
    folder = await mkdtemp(join(tmpdir(), 'spreadsheets-demo-'));
    demos = [];
  });

  afterEach(async () => {
    for (const { process } of demos) {
      if (process.exitCode !== null || process.signalCode !== null) continue;
      process.kill('SIGKILL');
      await once(process, 'exit');
    }
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  function run(env: NodeJS.ProcessEnv): Running {
    const child = spawn(process.execPath, [ENTRY], {
      env: { ...process.env, DATABASE_URL: database.url, DEMO_FOLDER: folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const running = { process: child, said: '' };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        running.said += text;
      });
    }
    demos.push(running);
    return running;
  }

  /** Resolves with the page's address. */
  function pageOf(running: Running): Promise<string> {
    return eventually(async () => {
      if (running.process.exitCode !== null) throw new Error(`It ended:\n${running.said}`);
      return /Ctrl-C stops/.test(running.said) && /http:\/\/localhost:\d+/.exec(running.said)?.[0];
    });
  }

  function start(port: number): Promise<string> {
    demo = run({ PORT: String(port) });
    return pageOf(demo);
  }

  /** The process ids that it names: those of the front end and of the workers. */
  function parts(): Record<string, number> {
    const [, list = ''] = /Processes: (.*)\./.exec(demo.said) ?? [];
    return Object.fromEntries(
      list.split(', ').map((part) => [part.split(' ')[0], Number(part.split(' ')[1])]),
    );
  }

  /** One that has ended and whose new parent has not looked is there still, as in a container without an init. */
  function lives(pid: number): boolean {
    try {
      process.kill(pid, 0);
      return !hasEnded(pid);
    } catch {
      return false;
    }
  }

  function hasEnded(pid: number): boolean {
    if (process.platform !== 'linux') return false;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state] = stat.slice(stat.lastIndexOf(')') + 2);
    return state === 'Z';
  }

  // The lines call curl; slim containers have none.
  const withCurl = test.skipIf(spawnSync('curl', ['--version']).status !== 0);

  withCurl(
    "with curl the lines that it prints, and the README's, work as they are, and Ctrl-C leaves nothing behind",
    async () => {
      const page = await start(0);
      const printed = demo.said.split('\n').filter((line) => /^\s+(TOKEN=|curl|-d)/.test(line));
      const output = execFileSync('bash', ['-c', printed.join('\n')], { encoding: 'utf8' });
      expect(output).toMatch(/^\{"id":"[0-9a-f-]{36}","job":"[0-9a-f-]{36}"\}\{"spreadsheets":\[\{/);

      const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
      const [, lines = ''] = /while `npm start` runs:\n\n```sh\n(.*?)```/s.exec(readme) ?? [];
      const script = lines.replaceAll('http://localhost:3000', page);
      const answer = JSON.parse(execFileSync('bash', ['-c', script], { encoding: 'utf8' }));
      expect(answer.title).toBe('Oars');
      expect(answer.jobs.map(({ kind }: { kind: string }) => kind).sort()).toEqual([
        'spreadsheet.create',
        ...Array.from({ length: 30 }, () => 'spreadsheet.update'),
      ]);

      const pids = Object.values(parts());
      expect(pids.filter(lives)).toHaveLength(3);
      demo.process.kill('SIGINT');
      const [code] = await once(demo.process, 'exit');
      expect(code).toBe(0);
      expect(pids.filter(lives)).toEqual([]);
    },
  );

  // What follows is the same on every database.
  if (on !== DATABASES[0]) return;

  test('Ctrl-C leaves a part as long as DRAIN_SECONDS says to finish what it has begun', async () => {
    demo = run({ PORT: '0', DRAIN_SECONDS: '60' });
    const page = await pageOf(demo);
    const [google] = /http:\/\/\S+(?= {3}stands in for Google)/.exec(demo.said) ?? [];
    const slow = { path: ':batchUpdate', delayMs: 6_000 };
    await fetch(`${google}/_emulator/faults`, { method: 'POST', body: JSON.stringify(slow) });
    await (await UserOfApi.signIn(page, 'Ada')).create('Oars');
    await eventually(async () =>
      (await (await fetch(`${google}/_emulator/calls`)).text()).includes(':batchUpdate'),
    );
    demo.process.kill('SIGINT');
    const [code] = await once(demo.process, 'close');
    expect(code).toBe(0);
    expect(demo.said).toContain('endings={"complete":1}');
  });

  test('a port that is taken gives way to another one, and variables that are empty are not set', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const address = holder.address();
    const taken = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const empty = { JWKS_URL: '', PUBLIC_URL: '', GOOGLE_ROOT_URL: ' ', GOOGLE_APPLICATION_CREDENTIALS: '' };
    demo = run({ PORT: String(taken), ...empty });
    const page = await pageOf(demo);
    expect(page).not.toContain(`:${taken}`);
    expect((await fetch(`${page}/healthz`)).status).toBe(200);
    expect(demo.said).toContain('stands in for Google Sheets');
    expect(demo.said).toContain(`${page}/rowlock/`);
    expect(demo.said).toContain(
      `What you did is kept in the database of DATABASE_URL and ${join(folder, 'google-sheets.json')}.`,
    );
    holder.close();
  });

  test('two that are started together take a port each, and when one is killed, its parts end by themselves', async () => {
    const port = await freePort();
    const folders = [join(folder, 'one'), join(folder, 'two')];
    const started = folders.map((own) => run({ PORT: String(port), DEMO_FOLDER: own }));
    const pages = await Promise.all(started.map(pageOf));
    expect(new Set(pages).size).toBe(2);
    for (const page of pages) expect((await fetch(`${page}/healthz`)).status).toBe(200);
    // One of them has the port, unless another process was faster than both.
    const isThere = pages.includes(`http://localhost:${port}`);
    expect(isThere || (await freePort(port)) !== port).toBe(true);

    [demo = demo] = started;
    const { 'worker-1': dead = 0, ...others } = parts();
    process.kill(dead, 'SIGKILL');
    await eventually(async () => demo.said.includes('worker-1 died (SIGKILL)'));
    const pids = Object.values(others);
    expect(pids.filter(lives)).toHaveLength(2);
    demo.process.kill('SIGKILL');
    await eventually(async () => pids.filter(lives).length === 0);
  });

  test('a port that there is not is told in a sentence', async () => {
    demo = run({ PORT: '70000' });
    const [code] = await once(demo.process, 'close');
    expect(code).toBe(1);
    expect(demo.said).toBe(
      'The environment is not right:\n  - PORT must be a whole number from 0 to 65535.\n',
    );
  });

  test('credentials of another kind, which other programs put into the environment, are refused with how to do without them', async () => {
    const file = join(folder, 'application_default_credentials.json');
    await writeFile(file, JSON.stringify({ type: 'authorized_user', refresh_token: 'secret' }));
    demo = run({ PORT: '0', GOOGLE_APPLICATION_CREDENTIALS: file });
    const [code] = await once(demo.process, 'close');
    expect(code).toBe(1);
    expect(demo.said).toMatch(/with the JSON of a service account, with client_email and private_key\.$/m);
    expect(demo.said).toContain('GOOGLE_APPLICATION_CREDENTIALS= npm start');
    expect(demo.said).not.toContain('secret');
  });
});
