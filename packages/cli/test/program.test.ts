import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { SERVERS, stages } from './servers.js';

const stage = stages();

const PROGRAM = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

function start(args: readonly string[], url: string) {
  return spawn(process.execPath, [PROGRAM, ...args], { env: { ...process.env, DATABASE_URL: url } });
}

test('a reader that has read enough, as `head`, ends the program well', async () => {
  const { url, rowlock } = await stage(SERVERS[0]);
  const payload = { text: 'x'.repeat(2_000) };
  const Mail = { kind: 'mail', payload: z.object({ text: z.string() }) };
  await rowlock.enqueueMany(
    Mail,
    Array.from({ length: 1_000 }, () => ({ payload })),
  );
  const child = start(['jobs', 'list', '--json', '--limit', '1000'], url);
  const [exit, errors] = [once(child, 'exit'), text(child.stderr)];
  await once(child.stdout, 'data');
  child.stdout.destroy();
  expect([await exit, await errors]).toEqual([[0, null], '']);
});

test('Ctrl-C ends what goes on, and the program ends well', async () => {
  const { url } = await stage(SERVERS[0]);
  const child = start(['status', '--watch'], url);
  const [exit, errors] = [once(child, 'exit'), text(child.stderr)];
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  expect([await exit, await errors]).toEqual([[0, null], '']);
});

test('a watch goes on behind an outage, of which standard error has one sentence', async () => {
  const { url } = await stage(SERVERS[0]);
  const way = await wayTo(url);
  const child = start(['status', '--watch', '--every', '100ms', '--json'], way.url);
  onTestFinished(() => void child.kill());
  const [exit, errors] = [once(child, 'exit'), text(child.stderr)];
  const seen = child.stdout.setEncoding('utf8');
  await once(seen, 'data');
  way.cut();
  await once(child.stderr, 'data');
  // Several looks fail.
  await way.refused(3);
  way.mend();
  await once(seen, 'data');
  child.kill('SIGINT');
  expect(await exit).toEqual([0, null]);
  expect((await errors).match(/The connection to Postgres was lost/g)).toHaveLength(1);
});

/** A way to the server that can be cut. */
async function wayTo(url: string) {
  const place = new URL(url);
  const [host, port] = [place.hostname, Number(place.port)];
  const open = new Set<Socket>();
  let isCut = false;
  const proxy = createServer((client) => {
    if (isCut) {
      client.destroy();
      return void proxy.emit('refused');
    }
    const server = connect(port, host);
    for (const socket of [client, server]) open.add(socket.on('error', () => {}));
    client.pipe(server).pipe(client);
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  });
  const cut = (): void => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    proxy.close();
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  place.host = `127.0.0.1:${Object(proxy.address()).port}`;
  return {
    url: place.href,
    cut,
    async refused(times: number) {
      for (let time = 0; time < times; time++) await once(proxy, 'refused');
    },
    mend(): void {
      isCut = false;
    },
  };
}
