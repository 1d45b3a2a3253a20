import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createRowlock, defineHandler, fail, type Rowlock } from '@rowlock/core';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { SILENT } from '../src/command-context.js';
import { asked, assistant, serving } from './assistant.js';
import { call } from './call.js';
import { SERVERS, type Server, stages } from './servers.js';
import { silenced } from './silenced.js';

const stage = stages();

const Mail = {
  kind: 'mail.send',
  queue: 'mail',
  payload: z.object({ to: z.string() }),
};

const SECRET = 'ada@example.com';

/** One that is due, and one whose time has not come. */
async function filled(rowlock: Rowlock<unknown>) {
  const job = { payload: { to: SECRET }, metadata: { of: SECRET }, key: 'ada' };
  const { publicId: failed } = await rowlock.enqueue(Mail, job);
  const other = await rowlock.enqueue(Mail, { ...job, delay: '1h' });
  return { failed, delayed: other.publicId };
}

async function runOnce(url: string, server: Server): Promise<void> {
  const Failing = defineHandler({
    ...Mail,
    run: () => fail(Object.assign(new Error('nobody is there'), { code: 'ADDRESS_UNKNOWN' })),
  });
  const own = createRowlock({ driver: server.driver(url), handlers: [Failing], log: SILENT });
  const worker = own.worker();
  const settled = new Promise((resolve) => worker.on('settled', resolve));
  await worker.start();
  await settled;
  await worker.stop();
  await own.close();
}

describe.each(SERVERS)('an assistant on $name', (server) => {
  test('asks what fails, why a job waits, and what a job is, without its data', async () => {
    const { url, rowlock } = await stage(server);
    const { failed, delayed } = await filled(rowlock);
    await runOnce(url, server);
    const client = await assistant(url);

    expect(client.getServerVersion()).toMatchObject({ name: 'rowlock', version: expect.any(String) });
    expect(client.getInstructions()).toContain('--dry-run');
    expect(await asked(client, 'status')).toMatchObject({
      lanes: [{ queue: 'mail', kind: 'mail.send', delayed: { count: 1 } }],
      pauses: [],
    });
    expect(await asked(client, 'list_jobs', { status: 'error', errorCode: 'ADDRESS_UNKNOWN' })).toMatchObject(
      {
        jobs: [{ publicId: failed, error: { message: 'nobody is there' } }],
        cursor: null,
      },
    );
    expect(await asked(client, 'count_jobs', { queue: 'mail', status: 'new' })).toMatchObject({ count: 1 });
    const { reasons } = await asked(client, 'why', { id: delayed });
    expect(reasons).toMatchObject([{ reason: 'delayed' }, { reason: 'unserved' }]);
    const shown = await asked(client, 'show_job', { id: failed });
    expect(shown).toMatchObject({
      job: { key: 'ada', status: 'error', payload: '(hidden)', metadata: '(hidden)', output: null },
      runs: [{ outcome: 'fail' }],
    });
    expect(JSON.stringify(shown)).not.toContain(SECRET);

    const open = await assistant(url, '--values');
    expect(await asked(open, 'show_job', { id: failed })).toMatchObject({
      job: { payload: { to: SECRET }, metadata: { of: SECRET } },
    });
  });
});

const [POSTGRES] = SERVERS;

test('no tool changes anything, and each says so', async () => {
  const { url, rowlock } = await stage(POSTGRES);
  const { failed } = await filled(rowlock);
  await runOnce(url, POSTGRES);
  const reader = new pg.Client(url);
  await reader.connect();
  onTestFinished(() => reader.end());
  const before = await everything(reader);
  const client = await assistant(url);
  const { tools } = await client.listTools();
  expect(tools.length).toBeGreaterThan(5);
  for (const { name, annotations, inputSchema } of tools) {
    expect(annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
    const given = { id: failed, queue: 'mail' };
    const required = Object.entries(given).filter(([each]) => inputSchema.required?.includes(each));
    expect(await asked(client, name, Object.fromEntries(required))).not.toHaveProperty('error');
  }
  expect(await everything(reader)).toEqual(before);
});

async function everything(reader: pg.Client): Promise<unknown> {
  const { rows } = await reader.query(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'rowlock' ORDER BY 1`,
  );
  const tables: unknown[] = [];
  for (const { name } of rows) {
    const found = await reader.query(`SELECT t::text FROM rowlock."${name}" AS t ORDER BY 1`);
    tables.push([name, found.rows]);
  }
  return tables;
}

test('wrong calls are answered with a sentence, and the next ones all the same', async () => {
  const { url } = await stage(POSTGRES);
  const client = await assistant(url);
  const wrong = [
    ['why', {}, 'id is missing.'],
    ['why', { id: 7 }, 'id must be a string.'],
    ['why', { id: '0191d2a4-6c1e-4b7a-9a53-1f5e8c0b7d21' }, 'no job'],
    ['show_job', { id: 'seven' }, 'seven'],
    ['list_jobs', { limit: 1.5 }, 'limit must be an integer.'],
    ['list_jobs', { limit: 201 }, 'limit must be at most 200.'],
    ['list_jobs', { status: 'failed' }, 'status must be one of new, '],
    ['list_jobs', { toString: 'x' }, 'There is no argument toString.'],
  ] as const;
  for (const [name, input, sentence] of wrong)
    expect(await asked(client, name, input)).toEqual({ error: expect.stringContaining(sentence) });
  await expect(client.callTool({ name: 'redrive' })).rejects.toThrow('There is no tool redrive.');
  await client.ping();
});

test('what is no call gets the code of JSON-RPC, and a notification no answer', async () => {
  const { url } = await stage(POSTGRES);
  const { stdin, stdout, code } = serving(url);
  const answers = text(stdout);
  stdin.write('not JSON\n\n[1]\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  stdin.write('{"jsonrpc":"2.0","id":1,"method":"resources/list"}\n{"jsonrpc":"2.0","id":2,"result":{}}\n');
  stdin.end('{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"1999-01-01"}}\n');
  expect(await code).toBe(0);
  stdout.end();
  const found = (await answers)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(found).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: null, error: { code: -32600 } },
    { id: 1, error: { code: -32601 } },
    { id: 'a', result: { protocolVersion: '2025-11-25' } },
  ]);
});

test('a text may have what other programs end lines by', async () => {
  const { url, rowlock } = await stage(POSTGRES);
  await rowlock.enqueue(Mail, { payload: { to: SECRET }, key: 'a\u2028b\u2029c\u0085d' });
  const client = await assistant(url);
  expect(await asked(client, 'count_jobs', { key: 'a\u2028b\u2029c\u0085d' })).toMatchObject({ count: 1 });
});

test('Ctrl-C ends it, and so does a database that is not there', async () => {
  const { url } = await stage(POSTGRES);
  const { stdin, stdout, stop, code } = serving(url);
  stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await once(stdout, 'data');
  stop.abort();
  expect(await code).toBe(0);
  const gone = await call(['mcp'], { url: 'postgres://nobody@127.0.0.1:1/none' });
  expect(gone).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('ECONNREFUSED') });
});

test('Ctrl-C waits for no answer of a silent server', async () => {
  const { url } = await stage(SERVERS[0]);
  const { url: way, silence } = await silenced(url);
  const { stdin, stdout, stop, code } = serving(way);
  stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await once(stdout, 'data');
  const answers: string[] = [];
  stdout.on('data', (piece) => answers.push(String(piece)));
  const lost = silence();
  stdin.write('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"status","arguments":{}}}\n');
  await lost;
  stop.abort();
  expect(await code).toBe(0);
  expect(answers).toEqual([]);
});
