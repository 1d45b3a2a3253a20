import { expect, test } from 'vitest';
import { z } from 'zod';
import { createRowlock, defineHandler } from '../src/index.js';
import { emptyDatabase, NOTHING } from './empty-database.js';

const Work = defineHandler({ kind: 'work', payload: z.unknown(), run: () => {} });
const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });
const rowlock = createRowlock({ driver, handlers: [Work] });

test.each([
  ['no driver', () => createRowlock(JSON.parse('{}')), /needs a driver/],
  [
    'a queue that is no list',
    () => rowlock.worker({ queues: JSON.parse('"default"') }),
    /queues must be a list/,
  ],
  [
    'an event that is none',
    () => rowlock.worker().on(JSON.parse('"error"'), () => {}),
    /no event "error": start, /,
  ],
])('%s is told of at once, with what to do', (_, mistake, message) => {
  expect(mistake).toThrow(
    expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT', message: expect.stringMatching(message) }),
  );
});

test('a job is enqueued by what has its schema, and not by its kind alone', async () => {
  // @ts-expect-error: nothing would check the kind and the payload.
  const enqueued = rowlock.enqueue('work', { payload: 1 });
  await expect(enqueued).rejects.toMatchObject({
    code: 'ROWLOCK_INVALID_INPUT',
    message: 'The first argument is a handler, or { kind, payload } with the schema of the payload.',
  });
});

test("a payload is checked by the descriptor's schema, as by the handler's", async () => {
  const greet = { kind: 'greet', payload: z.object({ name: z.string() }) };
  const Greet = defineHandler({ ...greet, run: () => {} });
  for (const enqueueable of [greet, Greet]) {
    // @ts-expect-error: the schema wants text.
    const enqueued = rowlock.enqueue(enqueueable, { payload: { name: 42 } });
    await expect(enqueued).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_PAYLOAD' });
  }
});
