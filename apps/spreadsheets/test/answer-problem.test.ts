import { once } from 'node:events';
import { addressOf } from '@rowlock/app-shared/testing';
import { answerProblem } from '@rowlock/app-shared/web';
import express from 'express';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { send } from './support/user-of-api.js';

test('a fault of ours is logged with its reason and its stack, of which the answer says nothing', async () => {
  const lines: unknown[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const app = express();
  app.get('/', () => {
    throw new Error('out of paper');
  });
  const server = app.use(answerProblem(log, 'Test')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { status, body } = await send(addressOf(server), 'GET');
  server.close();
  expect([status, body.detail]).toEqual([500, 'Something went wrong on our side.']);
  expect(lines).toMatchObject([
    { status: 500, err: { message: 'out of paper', stack: expect.stringContaining('answer-problem.test') } },
  ]);
});
