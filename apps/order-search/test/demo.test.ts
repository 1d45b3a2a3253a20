import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DATABASES, eventually } from '@rowlock/app-shared/testing';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { compose } from '../src/composition.js';

/** A net, as everywhere: the demo is six processes that start one after another. */
const WITHIN_MS = 300_000;

const ENTRY = fileURLToPath(new URL('../dist/demo.js', import.meta.url));

describe.each(DATABASES)('on $name', (database) => {
  const undo: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  test('the demo fills an old system and its index, finds what is changed later, and ends on SIGTERM', {
    timeout: WITHIN_MS,
  }, async () => {
    const { url, drop } = await database.fresh();
    undo.push(drop);
    const folder = await mkdtemp(join(tmpdir(), 'order-search-demo-'));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    const { demo, said } = start({ DATABASE_URL: url, DEMO_FOLDER: folder, DEMO_ORDERS: '40', PORT: '0' });
    undo.push(() => end(demo, 'SIGKILL'));
    await eventually(async () => demo.exitCode !== null || said().includes('Ctrl-C stops'), {
      withinMs: WITHIN_MS,
    });
    expect(said()).toContain('The old system gets its orders: 40 of 40');
    expect(said()).toContain('The index fills: 40 of 40');
    const [page] = /http:\/\/localhost:\d+/.exec(said()) ?? [];
    const find = async (typed: string) => (await fetch(`${page}/api/search?q=${typed}`)).json();
    expect(await find('zebrafish')).toMatchObject({ orders: [] });

    const { legacy, close } = compose(url, pino({ level: 'silent' }));
    const application = legacy(1);
    undo.push(close, () => application.close());
    await application.run("INSERT INTO ordcmt (ord_no, seq_no, txt) VALUES (7, 77, 'A zebrafish')");
    const found = await eventually(async () => {
      const { orders } = await find('zebraf');
      return orders.length > 0 && orders;
    });
    expect(found).toMatchObject([{ orderNo: 7 }]);

    expect(await end(demo, 'SIGTERM')).toBe(0);
  });
});

function start(env: NodeJS.ProcessEnv): { readonly demo: ChildProcess; said(): string } {
  const demo = spawn(process.execPath, [ENTRY], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [demo.stdout, demo.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  return { demo, said: () => said };
}

/** @returns the exit code */
async function end(demo: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (demo.exitCode === null && demo.signalCode === null) {
    const ended = once(demo, 'exit');
    demo.kill(signal);
    await ended;
  }
  return demo.exitCode;
}
