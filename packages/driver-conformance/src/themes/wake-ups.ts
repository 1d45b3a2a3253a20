import { randomUUID } from 'node:crypto';
import { type Anchor, isHint, type NewJob, type WakeUp } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { endSessions } from '../end-sessions.js';
import { type Listener, listen } from '../listener.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { until, within } from '../until.js';

/** A wake-up that no other one can be taken for. */
function mark(): { readonly wakeUp: WakeUp; readonly wanted: (received: WakeUp) => boolean } {
  const cancel = randomUUID();
  return { wakeUp: { cancel }, wanted: (received) => 'cancel' in received && received.cancel === cancel };
}

/** Listens to the test's queue, and has received the first wake-up: the session is subscribed. */
async function listening<Tx>(
  { queue, defer }: Stage<Tx>,
  anchor: Anchor,
  everyMs?: number,
): Promise<Listener> {
  const listener = listen(anchor, { queues: [queue], ...(everyMs !== undefined && { everyMs }) });
  defer(() => listener.stop());
  await listener.receives('the wake-up after subscribing', () => true);
  return listener;
}

export const wakeUps = theme('wake-ups', (test) => {
  test('wake once subscribed, without any notification', async (stage) => {
    const listener = await listening(stage, await stage.anchor());
    expect(listener.received.slice(0, 1).every(isHint)).toBe(true);
  });

  test('what is enqueued before the first wake-up is found by the look that it causes', async (stage) => {
    const anchor = await stage.anchor();
    const job = await stage.put();
    await stage.driver.workers.notify([{ queue: stage.queue }]);
    await listening(stage, anchor);
    expect((await stage.hold()).job.id).toBe(job.id);
  });

  test('a notification wakes', async (stage) => {
    const listener = await listening(stage, await stage.anchor());
    const since = listener.received.length;
    await stage.driver.workers.notify([{ queue: stage.queue }]);
    expect([{ queue: stage.queue }, {}]).toContainEqual(
      await listener.receives('the notification', () => true, since),
    );
  });

  test('a notification wakes those who were not woken before', async (stage) => {
    const woken = await stage.anchor();
    await listening(stage, woken);
    const listener = await listening(stage, await stage.anchor());
    const since = listener.received.length;
    await stage.driver.workers.notify([{ queue: stage.queue, except: [woken.workerId] }]);
    await listener.receives('the notification', () => true, since);
  });

  test('a notification without a queue wakes everybody', async (stage) => {
    const listener = await listening(stage, await stage.anchor());
    const since = listener.received.length;
    await stage.driver.workers.notify([{}]);
    await listener.receives('the notification', () => true, since);
  });

  test('a notification from another process wakes, in every process', async (stage) => {
    const [one, other] = [await stage.process(), await stage.process()];
    const first = await listening(stage, await stage.anchor(one.driver));
    const second = await listening(stage, await stage.anchor(other.driver));
    const { wakeUp, wanted } = mark();
    await stage.driver.workers.notify([wakeUp]);
    await first.receives('the notification', wanted);
    await second.receives('the notification', wanted);
  });

  test('two workers of one process are both woken', async (stage) => {
    const first = await listening(stage, await stage.anchor());
    const second = await listening(stage, await stage.anchor());
    const { wakeUp, wanted } = mark();
    await stage.driver.workers.notify([wakeUp]);
    await first.receives('the notification', wanted);
    await second.receives('the notification', wanted);
  });

  test('after any number of notifications at once there is a wake-up behind the last', async (stage) => {
    const listener = await listening(stage, await stage.anchor());
    for (let round = 0; round < 20; round++) {
      const since = listener.received.length;
      await Promise.all(
        Array.from({ length: 10 }, () => stage.driver.workers.notify([{ queue: stage.queue }])),
      );
      await listener.receives('a wake-up of this round', () => true, since);
    }
  });

  test('a cancel reaches the worker with its public id, each of them', async (stage) => {
    const listener = await listening(stage, await stage.anchor());
    const marks = Array.from({ length: 10 }, mark);
    await stage.driver.workers.notify([...marks.map(({ wakeUp }) => wakeUp), { queue: stage.queue }]);
    for (const { wanted } of marks) await listener.receives('the cancel', wanted);
  });

  test('limits reach the worker with their names, among whatever else comes at once', async (stage) => {
    const listener = await listening(stage, await stage.anchor());
    const named: readonly WakeUp[] = [{ limit: stage.key }, { limit: `${stage.key} 2` }];
    await stage.driver.workers.notify([{ queue: stage.queue }, ...named, { queue: stage.queue }]);
    for (const wanted of named)
      await listener.receives('the name', (wakeUp) => JSON.stringify(wakeUp) === JSON.stringify(wanted));
  });

  test('an empty list of wake-ups is no error', async ({ driver }) => {
    await driver.workers.notify([]);
  });

  test('notifying when nobody listens is no error', async ({ driver, queue }) => {
    await driver.workers.notify([{ queue }, { cancel: randomUUID() }, {}]);
  });

  test('queues are told by their names, whatever characters these hold', async (stage) => {
    for (const name of [`it's; "quoted" \\`, '{"queue":"x"}', 'Ω🚣', 'q'.repeat(128), 'Ω'.repeat(128)]) {
      const anchor = await stage.anchor(stage.driver, { queues: [name] });
      const listener = listen(anchor, { queues: [name] });
      await listener.receives('the wake-up after subscribing', () => true);
      const since = listener.received.length;
      await stage.driver.workers.notify([{ queue: name }]);
      await listener.receives(`the notification of ${name}`, () => true, since);
      await listener.stop();
    }
  });

  test("joined: wakes after the caller's commit and not before", async (stage) => {
    const listener = await listening(stage, await stage.anchor());
    const application = await stage.caller();
    const [inside, outside] = [mark(), mark()];
    await stage.driver.join(application.tx).workers.notify([inside.wakeUp]);
    // One that was sent later arrives first: the other is waiting for its commit.
    await stage.driver.workers.notify([outside.wakeUp]);
    await listener.receives('the notification outside', outside.wanted);
    expect(listener.received.some(inside.wanted)).toBe(false);
    await application.commit();
    await listener.receives('the notification inside, after its commit', inside.wanted);
  });

  test('joined: a rolled back caller wakes nobody', async (stage) => {
    const listener = await listening(stage, await stage.anchor());
    const application = await stage.caller();
    const [inside, outside] = [mark(), mark()];
    await stage.driver.join(application.tx).workers.notify([inside.wakeUp]);
    await application.rollback();
    await stage.driver.workers.notify([outside.wakeUp]);
    await listener.receives('the notification after the rollback', outside.wanted);
    expect(listener.received.some(inside.wanted)).toBe(false);
  });

  test('joined to an enqueue: the woken worker finds the job', async (stage) => {
    const listener = await listening(stage, await stage.anchor());
    const application = await stage.caller();
    const store = stage.driver.join(application.tx);
    const since = listener.received.length;
    const [enqueued] = await store.jobs.enqueue([stage.newJob()]);
    await store.workers.notify([{ queue: stage.queue }]);
    await application.commit();
    await listener.receives('the notification', () => true, since);
    expect((await stage.hold()).job.publicId).toBe(enqueued?.publicId);
  });

  for (const [what, count] of [
    ['one job', 1],
    ['many', 3],
  ] as const) {
    test(`an enqueue of ${what} wakes when it can be claimed`, async (stage) => {
      const listener = await listening(stage, await stage.anchor());
      const { wakeUp, wanted } = mark();
      await stage.driver.jobs.enqueue(
        Array.from({ length: count }, () => stage.newJob()),
        [wakeUp, { queue: stage.queue }],
      );
      await listener.receives('the wake-up of the enqueue', wanted);
      await stage.hold();
    });
  }

  test('an enqueue of which one is no duplicate wakes, and one of nothing but duplicates does not', async (stage) => {
    const listener = await listening(stage, await stage.anchor());
    const [taken, some, none, last] = [stage.newJob(unique('first')), mark(), mark(), mark()];
    await stage.driver.jobs.enqueue([taken]);
    await stage.driver.jobs.enqueue([taken], [none.wakeUp]);
    await stage.driver.jobs.enqueue([taken, taken], [none.wakeUp]);
    await stage.driver.jobs.enqueue([taken, stage.newJob(unique('second'))], [some.wakeUp]);
    await listener.receives('the wake-up of what was enqueued', some.wanted);
    await stage.driver.workers.notify([last.wakeUp]);
    await listener.receives('a later one', last.wanted);
    expect(listener.received.some(none.wanted)).toBe(false);

    function unique(name: string): Partial<NewJob> {
      return { unique: { key: `${stage.key} ${name}`, scope: 'outstanding' } };
    }
  });

  test("joined: an enqueue wakes after the caller's commit and not before", async (stage) => {
    const listener = await listening(stage, await stage.anchor());
    const application = await stage.caller();
    const [inside, outside] = [mark(), mark()];
    await stage.driver.join(application.tx).jobs.enqueue([stage.newJob()], [inside.wakeUp]);
    await stage.driver.jobs.enqueue([stage.newJob()], [outside.wakeUp]);
    await listener.receives('the wake-up of the enqueue outside', outside.wanted);
    expect(listener.received.some(inside.wanted)).toBe(false);
    await application.commit();
    await listener.receives('the wake-up of the enqueue inside, after its commit', inside.wanted);
  });

  test('joined: an enqueue that is rolled back wakes nobody', async (stage) => {
    const listener = await listening(stage, await stage.anchor());
    const application = await stage.caller();
    const [inside, outside] = [mark(), mark()];
    await stage.driver.join(application.tx).jobs.enqueue([stage.newJob()], [inside.wakeUp]);
    await application.rollback();
    await stage.driver.jobs.enqueue([stage.newJob()], [outside.wakeUp]);
    await listener.receives('the wake-up of the enqueue after the rollback', outside.wanted);
    expect(listener.received.some(inside.wanted)).toBe(false);
  });

  test('without a notification there is a wake-up after each interval', async (stage) => {
    const listener = await listening(stage, await stage.anchor(), 10);
    for (let round = 0; round < 5; round++) {
      await listener.receives('the backstop', () => true, listener.received.length);
    }
  });

  test('calls for other queues do not put off the look that is due', async (stage) => {
    const listener = await listening(stage, await stage.anchor(), 100);
    let calling = true;
    const calls = (async () => {
      while (calling) await stage.driver.workers.notify([{ queue: `not ${stage.queue}` }]);
    })();
    try {
      await listener.receives('the backstop', () => true, listener.received.length);
    } finally {
      calling = false;
      await calls;
    }
  });

  test('a session that the server ends comes back, wakes, and hears again', async (stage) => {
    const other = await stage.process();
    const anchor = await stage.anchor(other.driver);
    const listener = await listening(stage, anchor);
    for (const time of ['first', 'second']) {
      const since = listener.received.length;
      // Until it has ended it would be taken for what came back.
      await endSessions(other);
      // Whatever is sent in between may be lost: the wake-up makes up for it.
      await listener.receives(`the wake-up after reconnecting, the ${time} time`, () => true, since);
      await until('the worker is alive again', () => alive(stage, anchor));
      await receivesAgain(stage, listener);
    }
    expect(await alive(stage, anchor)).toBe(true);
  });

  test('ends at once when the signal is aborted', async (stage) => {
    const stopping = new AbortController();
    const anchor = await stage.anchor();
    const iterator = anchor
      .wakeUps({ queues: [stage.queue], everyMs: 3_600_000, signal: stopping.signal })
      [Symbol.asyncIterator]();
    await within('the first wake-up', iterator.next());
    const next = iterator.next();
    stopping.abort();
    expect(await within('the end', next)).toMatchObject({ done: true });
  });

  test('yields nothing more when the signal was aborted before', async (stage) => {
    const anchor = await stage.anchor();
    const listener = listen(anchor, { queues: [stage.queue], signal: AbortSignal.abort() });
    await listener.stop();
    expect(listener.received.length).toBeLessThanOrEqual(1);
  });

  test('ends when the session is released', async (stage) => {
    const anchor = await stage.anchor();
    const iterator = anchor
      .wakeUps({ queues: [stage.queue], everyMs: 3_600_000, signal: new AbortController().signal })
      [Symbol.asyncIterator]();
    await within('the first wake-up', iterator.next());
    const next = iterator.next();
    await anchor.release();
    expect(await within('the end', next)).toMatchObject({ done: true });
  });

  test('a worker is listed as alive, with what it said of itself', async (stage) => {
    const from = (await stage.reader.now()).getTime();
    const anchor = await stage.anchor(stage.driver, {
      name: "the 'first'",
      host: 'host-Ω',
      pid: 12_345,
      queues: [stage.queue, 'it\'s "another"'],
      concurrency: 7,
      version: "4f2a-Ω 'rc'",
      memory: 1,
    });
    const to = (await stage.reader.now()).getTime();
    const worker = (await stage.driver.workers.list()).find(({ id }) => id === anchor.workerId);
    expect(worker).toMatchObject({
      name: "the 'first'",
      host: 'host-Ω',
      pid: 12_345,
      queues: [stage.queue, 'it\'s "another"'],
      concurrency: 7,
      version: "4f2a-Ω 'rc'",
      memory: 1,
      alive: true,
      lines: {},
    });
    expect(worker?.startedAt.getTime()).toBeGreaterThanOrEqual(from - 1);
    expect(worker?.startedAt.getTime()).toBeLessThanOrEqual(to + 1);
  });

  test('two workers of one name are two workers', async (stage) => {
    const one = await stage.anchor();
    const other = await stage.anchor();
    expect(one.workerId).not.toBe(other.workerId);
    await one.release();
    await until('the one is not alive', async () => (await alive(stage, one)) === false);
    expect(await alive(stage, other)).toBe(true);
  });

  test('a worker that was released is still listed, and not alive', async (stage) => {
    const anchor = await stage.anchor();
    await anchor.release();
    await anchor.release();
    await until('the worker is not alive', async () => (await alive(stage, anchor)) === false);
  });

  test('a worker whose process died is still listed, and not alive', async (stage) => {
    const dying = await stage.process();
    const anchor = await stage.anchor(dying.driver);
    expect(await alive(stage, anchor)).toBe(true);
    await dying.kill();
    await until('the worker is not alive', async () => (await alive(stage, anchor)) === false);
  });

  test('a worker shows how far its sweeps have come, until it rests', async (stage) => {
    const anchor = await stage.anchor();
    const line = randomUUID();
    const lines = async () =>
      (await stage.driver.workers.list()).find(({ id }) => id === anchor.workerId)?.lines;
    await anchor.report({ [stage.queue]: line, 'it\'s "another"': null, __proto___: line });
    expect(await lines()).toEqual({ [stage.queue]: line, 'it\'s "another"': null, __proto___: line });
    await anchor.report({ [stage.queue]: null });
    expect(await lines()).toEqual({ [stage.queue]: null });
  });

  test('a worker shows the memory of its last report, and its slots in use, until it ends', async (stage) => {
    const { driver, queue } = stage;
    const anchor = await stage.anchor();
    const listed = async () => (await driver.workers.list()).find(({ id }) => id === anchor.workerId);
    expect(await listed()).toMatchObject({ concurrency: null, version: null, memory: null });
    const running = [{ queue, kind: 'work', jobs: 3, held: 3, slots: 2 }];
    await driver.history.report(anchor.workerId, { tallies: [], running, runningIds: [], memory: 2 ** 33 });
    expect(await listed()).toMatchObject({ memory: 2 ** 33, running });
    await driver.history.report(anchor.workerId, { tallies: [], running: [], runningIds: [] });
    expect(await listed()).toMatchObject({ memory: 2 ** 33, running: [] });
    await driver.history.report(anchor.workerId, { tallies: [], running, runningIds: [], memory: 5 });
    await anchor.release();
    expect(await listed()).toMatchObject({ memory: 5, running: [] });
  });

  test('a line that is reported late is none of a worker that has stopped', async (stage) => {
    const anchor = await stage.anchor();
    await anchor.release();
    await anchor.report({ [stage.queue]: randomUUID() });
    const listed = (await stage.driver.workers.list()).find(({ id }) => id === anchor.workerId);
    expect(listed?.lines).toEqual({});
  });

  test('a session says whether wake-ups are pushed to it', async ({ driver, anchor }) => {
    expect(typeof (await anchor()).pushed).toBe('boolean');
    expect(driver.name).toMatch(/^[a-z]+$/);
  });
});

/** Calls until it is received: a session is alive a moment before it is subscribed. From then on every call is received. */
async function receivesAgain<Tx>({ driver }: Stage<Tx>, listener: Listener): Promise<void> {
  const calls: ((received: WakeUp) => boolean)[] = [];
  const call = async () => {
    const { wakeUp, wanted } = mark();
    calls.push(wanted);
    await driver.workers.notify([wakeUp]);
    return wanted;
  };
  await until('a call is received', async () => {
    await call();
    return listener.received.some((received) => calls.some((wanted) => wanted(received)));
  });
  for (let more = 0; more < 3; more++) await listener.receives('the next call', await call());
}

async function alive<Tx>({ driver }: Stage<Tx>, anchor: Anchor): Promise<boolean | undefined> {
  return (await driver.workers.list()).find(({ id }) => id === anchor.workerId)?.alive;
}
