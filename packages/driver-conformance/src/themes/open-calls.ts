import { setImmediate } from 'node:timers/promises';
import { defineHandler, type RunContext } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { AnyJson, openWorker, SOON } from '../worker-process.js';

/** A schema that needs a turn of the event loop. */
const Slow = {
  '~standard': {
    ...AnyJson['~standard'],
    validate: async (value: unknown) => {
      await setImmediate();
      return AnyJson['~standard'].validate(value);
    },
  },
} as const;

/** The results of calls that a handler does not await. A rejection has a listener, as it would end the process. */
class Calls {
  readonly #calls: Promise<unknown>[] = [];

  add(call: Promise<unknown>): void {
    call.catch(() => {});
    this.#calls.push(call);
  }

  async statuses(): Promise<readonly string[]> {
    return (await Promise.allSettled(this.#calls)).map(({ status }) => status);
  }
}

export const openCalls = theme('open calls', (test) => {
  for (const form of ['a function', 'an async function'] as const) {
    for (const [name, schema] of [
      ['a schema', AnyJson],
      ['an asynchronous schema', Slow],
    ] as const) {
      test(`what ${form} asks through tx and does not await commits with its job: ${name}`, async <
        Tx,
      >(stage: Stage<Tx>) => {
        const { queue, put, reader, createNotes } = stage;
        const notes = await createNotes();
        const follow = { kind: 'follow-up', queue: `${queue}-follow`, payload: schema };
        const calls = new Calls();
        const call = ({ tx, enqueue, enqueueMany }: RunContext<unknown, Tx>): void => {
          calls.add(notes.write(tx, 'first'));
          calls.add(rowlock.enqueue(follow, { payload: 1, unique: queue }, { tx }));
          calls.add(rowlock.enqueueMany(follow, [{ payload: 2 }, { payload: 3 }], { tx }));
          calls.add(rowlock.jobs.count({}, { tx }));
          calls.add(enqueue(follow, { payload: 4 }));
          calls.add(enqueueMany(follow, [{ payload: 5 }, { payload: 6 }]));
          calls.add(notes.write(tx, 'last'));
        };
        const run = form === 'a function' ? call : async (context: RunContext<unknown, Tx>) => call(context);
        const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, retry: SOON, run });
        const { rowlock, worker } = await openWorker(stage, [handler]);
        await put();
        await worker.start();
        expect(await allSettled(stage)).toMatchObject([{ status: 'complete', attempt: 1 }]);
        expect(await calls.statuses()).toEqual(Array.from({ length: 7 }, () => 'fulfilled'));
        expect((await notes.all()).toSorted()).toEqual(['first', 'last']);
        expect((await reader.jobs(`${queue}-follow`)).map(({ payload }) => payload).toSorted()).toEqual([
          1, 2, 3, 4, 5, 6,
        ]);
      });
    }
  }

  test('what a handler asks through tx, does not await, and throws after, is undone', async <
    Tx,
  >(stage: Stage<Tx>) => {
    const { queue, put, reader, createNotes } = stage;
    const notes = await createNotes();
    const follow = { kind: 'follow-up', queue: `${queue}-follow`, payload: AnyJson };
    const calls = new Calls();
    const handler = defineHandler({
      kind: 'work',
      queue,
      payload: AnyJson,
      run: ({ tx, enqueue }: RunContext<unknown, Tx>) => {
        calls.add(notes.write(tx, 'undone'));
        calls.add(rowlock.enqueue(follow, { payload: 1 }, { tx }));
        calls.add(enqueue(follow, { payload: 2 }));
        throw new Error('It failed.');
      },
    });
    const { rowlock, worker } = await openWorker(stage, [handler]);
    await put({ maxAttempts: 1 });
    await worker.start();
    expect(await allSettled(stage)).toMatchObject([{ status: 'error' }]);
    await calls.statuses();
    expect(await notes.all()).toEqual([]);
    expect(await reader.jobs(`${queue}-follow`)).toEqual([]);
  });

  test('what a handler begins through tx after its end is refused', async <Tx>(stage: Stage<Tx>) => {
    const { queue, put, reader, createNotes } = stage;
    const notes = await createNotes();
    const follow = { kind: 'follow-up', queue: `${queue}-follow`, payload: AnyJson };
    let late: RunContext<unknown, Tx> | undefined;
    const run = async (context: RunContext<unknown, Tx>): Promise<void> => {
      await notes.write(context.tx, 'in time');
      late = context;
    };
    const handler = defineHandler({ kind: 'work', queue, payload: AnyJson, run });
    const { rowlock, worker } = await openWorker(stage, [handler]);
    await put();
    await worker.start();
    expect(await allSettled(stage)).toMatchObject([{ status: 'complete' }]);
    if (late === undefined) throw new Error('The handler has not run.');
    const over = { code: 'TransactionOver' };
    const { tx, enqueue, enqueueMany } = late;
    await expect(notes.write(tx, 'late')).rejects.toMatchObject(over);
    await expect(rowlock.enqueue(follow, { payload: 1 }, { tx })).rejects.toMatchObject(over);
    await expect(enqueue(follow, { payload: 2 })).rejects.toMatchObject(over);
    await expect(enqueueMany(follow, [{ payload: 3 }])).rejects.toMatchObject(over);
    expect(await notes.all()).toEqual(['in time']);
    expect(await reader.jobs(`${queue}-follow`)).toEqual([]);
  });
});
