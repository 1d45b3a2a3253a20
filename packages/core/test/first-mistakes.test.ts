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
