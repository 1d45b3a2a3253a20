import { type Codec, defineHandler, fail, failedJob, type Json, set } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { theme } from '../theme.js';
import { until } from '../until.js';
import { AnyJson, clientOf, openWorker, SOON, startWorker } from '../worker-process.js';

/** Any text that shows which key it has, and nothing of what it is of. */
function codecOf(key: string): Codec {
  return {
    encode: (json) => `${key} ${Buffer.from(json).toString('base64')}`,
    decode(encoded) {
      const [id, text = ''] = encoded.split(' ');
      if (id !== key) throw new Error(`there is no key ${id}`);
      return Buffer.from(text, 'base64').toString();
    },
  };
}

const SECRET = { tenant: 'shop', card: '4111' };
const ENCODED = { 'rowlock.encoded': expect.stringMatching(/^new [\w+/=]+$/) };

export const codecs = theme('codecs', (test) => {
  test('a payload is encoded in its row, and clear for its handler and for whoever finds the job by that', async (stage) => {
    const { queue, key, row } = stage;
    const seen: Json[] = [];
    const report = defineHandler({
      kind: 'report',
      queue,
      payload: failedJob,
      run: ({ job }) => void seen.push(job.payload.payload),
    });
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      codec: codecOf('new'),
      limit: ({ payload }) => ({ name: String(Object(payload).tenant), max: 1 }),
      onFailed: report,
      run({ job }) {
        seen.push(job.payload);
        return fail(new Error('never'));
      },
    });
    const unique = { key, onDuplicate: 'replace' } as const;
    const client = clientOf(stage, [handler]);
    const first = await client.enqueue(handler, { payload: 'replaced', unique });
    expect(await client.enqueue(handler, { payload: SECRET, unique })).toEqual({
      ...first,
      outcome: 'replaced',
    });
    expect(await row(first)).toMatchObject({ payload: ENCODED, limits: '{"shop":1}' });
    expect(await client.find(first.publicId)).toMatchObject({ payload: ENCODED });
    expect(await client.find(handler, first.publicId)).toMatchObject({ payload: SECRET });
    const { rowlock } = await startWorker(stage, [handler, report]);
    expect(await rowlock.settled(handler, first.publicId)).toMatchObject({
      payload: SECRET,
      status: 'error',
    });
    await until('what follows has run', async () => seen.length === 2);
    expect(seen).toEqual([SECRET, ENCODED]);
    await allSettled(stage);
  });

  test('a job whose key a worker lacks waits for one that has it, and one in clear runs as it is', async (stage) => {
    const { queue, reader, row } = stage;
    const seen: Json[] = [];
    const handlerOf = (codec?: Codec) =>
      defineHandler({
        kind: 'work',
        queue,
        payload: AnyJson,
        retry: SOON,
        ...(codec && { codec }),
        run: ({ job }) => void seen.push(job.payload),
      });
    const job = await clientOf(stage, []).enqueue(handlerOf(codecOf('new')), { payload: SECRET });
    for (const codec of [codecOf('old'), undefined]) {
      const { worker } = await openWorker(stage, [handlerOf(codec)]);
      const settled = new Promise<void>((resolve) => worker.on('settled', () => resolve()));
      await worker.start();
      await settled;
      await worker.stop();
      const message = codec === undefined ? /has no codec here/ : /cannot decode it: there is no key new/;
      expect(await row(job)).toMatchObject({
        status: 'new',
        attempt: 0,
        error: { code: 'ROWLOCK_INVALID_PAYLOAD', message: expect.stringMatching(message) },
      });
    }
    expect(seen).toEqual([]);
    await reader.insert({ queue, kind: 'work', payload: 'in clear' });
    await startWorker(stage, [handlerOf(codecOf('new'))]);
    await allSettled(stage);
    expect(seen).toHaveLength(2);
    expect(seen).toEqual(expect.arrayContaining([SECRET, 'in clear']));
  });

  test.once('an encoded payload is neither replaced in clear nor changed in part', async (stage) => {
    const { queue, row } = stage;
    const client = clientOf(stage, []);
    const handler = { kind: 'work', queue, payload: AnyJson, codec: codecOf('new') };
    const job = await client.enqueue(handler, { payload: SECRET });
    const before = await row(job);
    const refused = { code: 'ROWLOCK_INVALID_INPUT', message: expect.stringContaining('is encoded') };
    await expect(client.update(job.publicId, { payload: 'in clear' })).rejects.toMatchObject(refused);
    await expect(client.jobs.updatePayload(job.publicId, [set(['card'], '')])).rejects.toMatchObject(refused);
    expect(await row(job)).toEqual(before);
    expect(await client.update(job.publicId, { priority: 3 })).toBe('updated');
  });
});
