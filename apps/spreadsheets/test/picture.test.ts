import { once } from 'node:events';
import { connect } from 'node:net';
import express from 'express';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { PictureFeed, type Snapshot } from '../src/web/picture/picture-feed.js';
import { PictureStreams } from '../src/web/picture/picture-streams.js';
import { addressOf } from './support/address-of.js';
import { eventually } from './support/eventually.js';

const EMPTY: Snapshot = { jobs: [], hasOlder: false, workers: [], labels: new Map() };
const SILENT = pino({ level: 'silent' });

test('readers that had gone before their picture was opened take no place', async () => {
  const streams = new PictureStreams(new PictureFeed(async () => EMPTY, SILENT));
  const ada = { id: 'ada', name: 'Ada', email: undefined, until: new Date(Date.now() + 600_000) };
  const app = express();
  let opened = 0;
  app.get('/gone', async (_req, res) => {
    res.destroy();
    await once(res, 'close');
    streams.open(ada, res);
    opened += 1;
  });
  app.get('/', (_req, res) => streams.open(ada, res));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = addressOf(server);
  await Promise.allSettled(Array.from({ length: 8 }, () => fetch(`${address}/gone`)));
  await eventually(async () => opened === 8);
  const picture = await fetch(address);
  streams.close();
  await picture.text();
  server.close();
  expect(picture.status).toBe(200);
});

test('a reader that reads nothing is cut off when its time is over, and nothing more is written to it', async () => {
  const streams = new PictureStreams(new PictureFeed(async () => EMPTY, SILENT), {
    heartbeatMs: 1,
    graceMs: 100,
  });
  const app = express();
  const outcome = new Promise<unknown>((resolve) => {
    app.get('/', (_req, res) => {
      streams.open({ id: 'ada', name: 'Ada', email: undefined, until: new Date(Date.now() + 50) }, res);
      res.write('x'.repeat(20_000_000));
      res.once('error', resolve).once('close', () => resolve('closed'));
    });
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const reader = connect({ port: Number(new URL(addressOf(server)).port), host: '127.0.0.1' });
  reader.pause().write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect(await outcome).toBe('closed');
  reader.destroy();
  server.close();
});

test('a picture that cannot be read is logged with the reason, once until it can be read again', async () => {
  const lines: { msg: string; err?: { message: string } }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const outcomes = ['wrong', 'wrong', 'right', 'right', 'wrong', 'wrong'];
  const feed = new PictureFeed(
    async () => {
      if (outcomes.shift() === 'right') return EMPTY;
      throw new Error('no such column');
    },
    log,
    1,
  );
  const stop = feed.watch(() => {});
  await eventually(async () => outcomes.length === 0);
  stop();
  expect(lines.map(({ msg, err }) => [msg, err?.message])).toEqual([
    ['the lock picture cannot be read', 'no such column'],
    ['the lock picture can be read again', undefined],
    ['the lock picture cannot be read', 'no such column'],
  ]);
});
