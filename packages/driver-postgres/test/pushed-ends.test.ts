import { createRowlock } from '@rowlock/core';
import type { WakeUp } from '@rowlock/core/driver';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { defineHandler, postgres } from '../src/index.js';

const AnyJson = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

test('the end of a job is pushed to who listens if somebody waits for it, and of no other job', async () => {
  const fresh = await freshDatabase(inject('postgresUrl'));
  onTestFinished(() => fresh.drop());
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const Work = defineHandler({ kind: 'work', payload: AnyJson, run: () => finished });
  const [waiting, working] = [
    postgres({ connectionString: fresh.url }),
    postgres({ connectionString: fresh.url }),
  ];
  const client = createRowlock({ driver: waiting });
  const rowlock = createRowlock({ driver: working, handlers: [Work] });
  onTestFinished(async () => {
    await rowlock.close();
    await client.close();
  });
  await rowlock.migrate();

  const received: WakeUp[] = [];
  const listening = new AbortController();
  const listens = new Promise<void>((subscribed) => {
    void waiting.listen?.({
      received: (wakeUp) => void received.push(wakeUp),
      subscribed,
      signal: listening.signal,
    });
  });
  await listens;
  const [one, other] = await client.enqueueMany(Work, [{ payload: 1 }, { payload: 2 }]);
  await rowlock.worker().start();
  const publicId = one?.publicId ?? '';
  const settled = client.settled(publicId);
  await vi.waitFor(() => expect(received).toContainEqual({ watch: publicId }), 30_000);
  // The worker has received it too: it reads the same channel in the same order as this mark.
  await waiting.notify([{ cancel: '11111111-1111-4111-8111-111111111111', redrives: 0 }]);
  await vi.waitFor(() => expect(received.some(({ cancel }) => cancel !== undefined)).toBe(true), 30_000);
  finish();
  expect(await settled).toMatchObject({ status: 'complete' });
  await client.settled(other?.publicId ?? '');
  await vi.waitFor(() => expect(received).toContainEqual({ settled: publicId }), 30_000);
  expect(received.filter(({ settled }) => settled !== undefined)).toHaveLength(1);
  listening.abort();
});
