import { once } from 'node:events';
import { connect } from 'node:net';
import { addressOf, eventually } from '@rowlock/app-shared/testing';
import type { JobView } from '@rowlock/core';
import express from 'express';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Picture } from '../src/web/picture/picture.js';
import { PictureFeed, type Snapshot } from '../src/web/picture/picture-feed.js';
import { PictureStreams } from '../src/web/picture/picture-streams.js';

const EMPTY: Snapshot = { jobs: [], hasOlder: false, workers: [], labels: new Map() };
const JOB: JobView = {
  publicId: '',
  key: null,
  kind: '',
  queue: 'spreadsheets',
  priority: 0,
  payload: {},
  metadata: {},
  limits: {},
  status: 'new',
  uniqueKey: null,
  attempt: 0,
  maxAttempts: 8,
  crashes: 0,
  redrives: 0,
  createdAt: new Date(0),
  availableAt: new Date(0),
  expiresAt: null,
  output: null,
  error: null,
  runId: null,
  worker: null,
  progress: null,
  createdBy: '',
  startedAt: null,
  startedBy: null,
  finishedAt: null,
  finishedBy: null,
};
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

test('a picture is built once for all who see the same, however many they are', async () => {
  const [looks, kinds] = [{ count: 0 }, { read: 0 }];
  const job = (key: string): JobView => ({
    ...JOB,
    publicId: `job of ${key}`,
    key,
    get kind() {
      kinds.read += 1;
      return 'spreadsheet.update';
    },
  });
  const snapshot = (): Snapshot => {
    looks.count += 1;
    const labels = new Map([
      ['a', { owner: 'ada', title: 'Oars' }],
      ['g', { owner: 'grace', title: 'Sails' }],
    ]);
    return { ...EMPTY, jobs: [job('a'), job('g')], labels };
  };
  const streams = new PictureStreams(new PictureFeed(async () => snapshot(), SILENT));
  const app = express();
  app.get('/:user', ({ params: { user } }, res) => {
    streams.open({ id: user, name: user, email: undefined, until: new Date(Date.now() + 600_000) }, res);
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const users = ['ada', 'grace', 'alan', 'edsger', 'barbara'].flatMap((user) => Array(8).fill(user));
  const readers = await Promise.all(users.map((user) => fetch(`${addressOf(server)}/${user}`)));
  const texts = readers.map((reader) => reader.text());
  const seen = looks.count + 2;
  await eventually(async () => looks.count >= seen);
  streams.close();
  const pictures = (await Promise.all(texts)).map(pictureIn);
  server.close();
  // Each of the two jobs is looked at once a look.
  expect(kinds.read).toBeLessThanOrEqual(2 * looks.count);
  const own = pictures.map(({ boxes }) => boxes.flatMap(({ spreadsheet }) => spreadsheet?.title ?? []));
  expect(own).toEqual(users.map((user) => (user === 'ada' ? ['Oars'] : user === 'grace' ? ['Sails'] : [])));
});

function pictureIn(text: string): Picture {
  return JSON.parse(/^event: picture\ndata: (.*)$/m.exec(text)?.[1] ?? 'null');
}
