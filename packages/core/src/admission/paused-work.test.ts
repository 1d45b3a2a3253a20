import { expect, test } from 'vitest';
import type { PauseView } from '../driver/pause.js';
import { pausedWork } from './paused-work.js';

const LANES = { queues: ['mails'], kinds: ['send'] };
const BY = { by: 'ann', until: null, reason: null, pausedAt: new Date(0) };

/** What is logged of these pauses. */
async function logged(pauses: () => Promise<readonly PauseView[]>): Promise<readonly unknown[]> {
  const entries: unknown[] = [];
  const log = {
    debug() {},
    info: (fields: object, message: string) => entries.push({ ...fields, message }),
    warn() {},
    error() {},
  };
  await pausedWork({ ...LANES, driver: { admission: { pauses } }, worker: 'mill', log }).start?.();
  return entries;
}

test('one entry has the pauses of all, and of the queues and kinds of the worker', async () => {
  const until = new Date('2026-01-01T00:00:00Z');
  const entries = await logged(async () => [
    { ...BY, scope: 'all', name: '' },
    { ...BY, scope: 'kind', name: 'send', until, reason: 'the provider is down' },
    { ...BY, scope: 'kind', name: 'other' },
    { ...BY, scope: 'queue', name: 'mails' },
    { ...BY, scope: 'queue', name: 'send' },
    { ...BY, scope: 'limit', name: 'mails' },
  ]);
  expect(entries).toEqual([
    {
      worker: 'mill',
      message: 'work of this worker is paused',
      pauses: [
        { all: true, by: 'ann', until: null, reason: null },
        { kind: 'send', by: 'ann', until: '2026-01-01T00:00:00.000Z', reason: 'the provider is down' },
        { queue: 'mails', by: 'ann', until: null, reason: null },
      ],
    },
  ]);
});

test('nothing is logged without such a pause, or if the pauses cannot be read', async () => {
  expect(await logged(async () => [{ ...BY, scope: 'limit', name: 'send' }])).toEqual([]);
  expect(await logged(() => Promise.reject(new Error('The server is gone.')))).toEqual([]);
});
