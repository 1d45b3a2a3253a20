import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { type Answering, health, node, prometheus } from '../src/index.js';

/** The address of a server of Node's that answers by this. */
async function served(answering: Answering): Promise<string> {
  const server = createServer(node(answering)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${Object(server.address()).port}`;
}

test('metrics are scraped from a server of Node', async () => {
  const metrics = prometheus();
  const url = await served(metrics);
  const answer = await fetch(`${url}/any/path`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=/);
  expect(await answer.text()).toBe(await metrics.text());
  const head = await fetch(url, { method: 'HEAD' });
  expect({ status: head.status, text: await head.text() }).toEqual({ status: 200, text: '' });
  const post = await fetch(url, { method: 'POST', body: 'x' });
  expect({ status: post.status, allow: post.headers.get('allow') }).toEqual({
    status: 405,
    allow: 'GET, HEAD',
  });
});

test('probes get the status and the reasons, each by its path', async () => {
  const away = async (): Promise<never> => {
    throw new Error('away');
  };
  const url = await served(health({ insight: { verify: away, workers: away } }));
  const live = await fetch(`${url}/health/live?from=kubelet`);
  expect({ status: live.status, body: await live.json() }).toEqual({
    status: 200,
    body: { live: true, reasons: [] },
  });
  const ready = await fetch(`${url}/ready`);
  expect({ status: ready.status, body: await ready.json() }).toEqual({
    status: 503,
    body: { live: true, ready: false, reasons: ['The database does not answer: away'] },
  });
  expect((await fetch(`${url}/other`)).status).toBe(404);
});

test('what fails ends its connection, and no other', async () => {
  let calls = 0;
  const url = await served({
    async fetch() {
      calls += 1;
      if (calls === 1) throw new Error('no');
      return new Response('yes');
    },
  });
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  expect(await (await fetch(url)).text()).toBe('yes');
});
